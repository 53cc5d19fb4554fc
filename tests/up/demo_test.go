package up

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
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

	// Everything that was accepted is stored, and once, when the command ends.
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

// TestDemoGoesOnAfterARestart starts `up --demo` again on its own store: live
// traffic goes on, the history is not sent a second time, and no trace of the
// second run has the id of one of the first.
func TestDemoGoesOnAfterARestart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	i := start(t, data, "--demo=50")
	said := func(sentence string) {
		t.Helper()
		require.Eventually(t, func() bool {
			log, err := os.ReadFile(filepath.Join(data, "run", "demo.log"))
			return err == nil && strings.Contains(string(log), sentence)
		}, patience, 100*time.Millisecond, sentence)
	}
	said("sending live traffic")
	i.Stop(t)
	restarted := time.Now().UTC()

	i = start(t, data, "--demo=50")
	said("no history is sent again")
	api := i.state(t).URLs["api"]
	// A route that only clients call, so that a trace has one request of it.
	rows := func(from, to time.Time) []record.JSON {
		t.Helper()
		var page harness.Rows
		query := url.Values{
			"filter": {"service = 'projects' AND method = 'GET' AND route = '/projects'"},
			"from":   {from.Format(time.RFC3339Nano)}, "to": {to.Format(time.RFC3339Nano)}, "limit": {"10000"},
		}
		require.NoError(t, call(t.Context(), "GET", api+"/requests?"+query.Encode(), "", &page))
		return page.Rows
	}
	var live []record.JSON
	require.Eventually(t, func() bool {
		live = rows(restarted, time.Now())
		return len(live) >= 20
	}, patience, 200*time.Millisecond, "live traffic goes on")

	first := map[string]bool{}
	for _, r := range rows(restarted.Add(-4*time.Hour), restarted) {
		require.Falsef(t, first[r.TraceID], "trace %s of the first run is stored twice", r.TraceID)
		first[r.TraceID] = true
	}
	require.Greater(t, len(first), 1000, "the history of the first run")
	for _, r := range live {
		require.Falsef(t, first[r.TraceID], "trace %s is in both runs", r.TraceID)
		assert.Equal(t, "v1.4.2", r.Release, "what the history released stays released")
	}
}
