package up

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// run executes a trackway command to its end and gives its stdout.
func run(t *testing.T, arguments ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(harness.Trackway(t), arguments...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "trackway %s: %s", strings.Join(arguments, " "), &errs)
	return out.String()
}

func TestLoadIsStoredAndMeasured(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "data"))
	report := filepath.Join(t.TempDir(), "report.json")
	ndjson := strings.TrimSuffix(i.state(t).URLs["ndjson"], "/v1/ingest")
	said := run(t, "demo", "--load", "--url", ndjson, "--seconds", "2", "--concurrency", "4", "--batch-size", "300", "--mix", "1:4:1",
		"--target-eps", "4000", "--data", i.data, "--json", report)
	assert.Contains(t, said, "p99")
	var load struct {
		Accepted int64 `json:"items_accepted"`
		Rejected int64 `json:"items_rejected"`
		Failed   int64 `json:"batches_failed"`
		Stored   struct {
			Requests, Spans, Events int64
		} `json:"stored"`
	}
	readJSON(t, report, &load)
	require.Positive(t, load.Accepted, said)
	assert.Zero(t, load.Rejected, said)
	assert.Zero(t, load.Failed, said)

	// Everything that was accepted is stored, and once, when it is answered.
	// Exceptions of requests are events of their own, so events may be more than
	// were sent.
	assert.Equal(t, load.Accepted/6, load.Stored.Requests)
	assert.Equal(t, load.Accepted/6*4, load.Stored.Spans)
	assert.GreaterOrEqual(t, load.Stored.Events, load.Accepted/6)

	var size struct {
		Requests int64 `json:"requests"`
		Tables   []struct {
			Name  string `json:"name"`
			Group string `json:"group"`
			Rows  int64  `json:"rows"`
			Bytes int64  `json:"bytes"`
		} `json:"tables"`
		Indexes []struct {
			Name string `json:"name"`
		} `json:"indexes"`
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, "bench", "size", "--data", i.data, "--json")), &size))
	assert.Equal(t, load.Stored.Requests, size.Requests)
	groups := map[string]bool{}
	for _, table := range size.Tables {
		groups[table.Group] = true
		assert.Positive(t, table.Bytes, table.Name)
	}
	for _, group := range []string{"records", "journey", "trace index", "rollups"} {
		assert.True(t, groups[group], "bench size names the %s", group)
	}
	assert.NotEmpty(t, size.Indexes)
	text := run(t, "bench", "size", "--data", i.data, "--columns")
	assert.Contains(t, text, "B/request")
	assert.Contains(t, text, "requests.trace_id")
}

func TestDemoFillsAnEmptyStore(t *testing.T) {
	i := start(t, filepath.Join(t.TempDir(), "data"), "--demo=50")
	api := i.state(t).URLs["api"]
	for _, path := range []string{
		"/requests?limit=1&from=-3h&to=-2h",                // the history
		"/requests?limit=1&from=-30s",                      // the live traffic
		"/requests?limit=1&from=-3h&filter=status+%3D+504", // the incident
		"/spans?limit=1", "/events?limit=1",
	} {
		var page harness.Rows
		require.Eventually(t, func() bool {
			return call(t.Context(), "GET", api+path, "", &page) == nil && len(page.Rows) == 1
		}, patience, 100*time.Millisecond, path)
	}
}
