package redaction_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/trackwayhq/trackway/internal/deadletter"
	"github.com/trackwayhq/trackway/tests/harness"
)

const arrival = 60 * time.Second

// seed of the corpora; TRACKWAY_TEST_SEED gives another.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := uint64(20261130)
	if text := os.Getenv("TRACKWAY_TEST_SEED"); text != "" {
		var err error
		n, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("seed %d", n)
	return n
}

// withoutRedaction is the standalone configuration with the processor taken out of
// every pipeline.
func withoutRedaction(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(harness.Root(t), "config"))))
	path := filepath.Join(dir, "standalone.yaml")
	config, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.ReplaceAll(string(config), "request_redaction, ", "")
	changed = strings.ReplaceAll(changed, ", request_redaction]", "]")
	require.NotContains(t, changed[strings.Index(changed, "pipelines:"):], "request_redaction")
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	return dir
}

// TestCorpus sends the corpus with redaction and finds no secret, and without it
// and finds each.
func TestCorpus(t *testing.T) {
	n := seed(t)
	t.Run("with redaction", func(t *testing.T) {
		c := newCorpus(n)
		f := run(t, c)
		for i, s := range c.secrets {
			assert.Empty(t, f.found[i], "found %s", s)
		}
		t.Logf("%d secrets, %d found", len(c.secrets), len(f.found))
	})
	t.Run("without redaction", func(t *testing.T) {
		c := newCorpus(n)
		f := run(t, c, "--config-dir", withoutRedaction(t))
		places := map[string]int{}
		for i, s := range c.secrets {
			assert.NotEmpty(t, f.found[i], "not found although nothing was redacted: %s", s)
			for source := range f.found[i] {
				places[source]++
			}
		}
		t.Logf("%d secrets of %d found: %v", len(f.found), len(c.secrets), places)
		for _, source := range []string{"table requests", "table spans", "table events", "file in journal", "file in deadletter", "live tail"} {
			assert.NotZero(t, places[source], "nothing was found in %s, so that the search there proves nothing", source)
		}
	})
}

// run sends a corpus to a stack and searches what it leaves.
func run(t *testing.T, c *corpus, args ...string) *finder {
	t.Helper()
	stack := harness.StartStack(t, args...)
	tail := stack.OpenTail(t, "")
	s := newSent("corpus")
	c.fill(s)
	s.post(t, stack)
	require.Eventually(t, func() bool {
		got, err := stack.ClickHouse.TryQuery(t.Context(), `SELECT (SELECT count() FROM trackway.requests) + (SELECT count() FROM trackway.spans) >= `+
			fmt.Sprint(s.traces.SpanCount())+` AND (SELECT count() FROM trackway.events) >= `+fmt.Sprint(s.logs.LogRecordCount())+
			` AND (SELECT count() FROM trackway.otel_metrics_summary) > 0 AND (SELECT count() FROM trackway.requests WHERE service = 'corpus-ndjson') > 0`)
		return err == nil && strings.TrimSpace(got) == "1"
	}, arrival, 100*time.Millisecond, "everything is stored")
	refuse(t, stack, c)
	f := newFinder(c.secrets)
	f.everywhere(t, stack)
	records, _, err := tail.Records()
	require.NoError(t, err)
	for _, r := range records {
		var v any
		text, err := json.Marshal(r)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &v))
		f.strings("live tail", v)
	}
	return f
}

// refuse has the store refuse the rows of a service for ever, so that they become
// dead letters.
func refuse(t *testing.T, stack *harness.Stack, c *corpus) {
	t.Helper()
	const service = "refused"
	for _, table := range []string{"requests", "spans"} {
		stack.ClickHouse.Query(t, "ALTER TABLE trackway."+table+" ADD CONSTRAINT corpus CHECK service != '"+service+"'")
	}
	s := newSent(service)
	c.fillRefused(s)
	body, err := ptraceotlp.NewExportRequestFromTraces(s.traces).MarshalProto()
	require.NoError(t, err)
	send(t, stack.OTLPHTTP+"/v1/traces", "application/x-protobuf", body)
	require.Eventually(t, func() bool {
		out, err := exec.CommandContext(t.Context(), harness.Trackway(t), "deadletter", "list", "--json", "--data", stack.Data).Output()
		var list deadletter.Listing
		if err != nil || json.Unmarshal(out, &list) != nil {
			return false
		}
		items := 0
		for _, letter := range list.Entries {
			items += letter.Items
		}
		return items == s.traces.SpanCount()
	}, arrival, 100*time.Millisecond, "all that the store refuses become dead letters")
}

func (s *sent) post(t *testing.T, stack *harness.Stack) {
	t.Helper()
	for path, marshal := range map[string]func() ([]byte, error){
		"/v1/traces":  ptraceotlp.NewExportRequestFromTraces(s.traces).MarshalProto,
		"/v1/logs":    plogotlp.NewExportRequestFromLogs(s.logs).MarshalProto,
		"/v1/metrics": pmetricotlp.NewExportRequestFromMetrics(s.metrics).MarshalProto,
	} {
		body, err := marshal()
		require.NoError(t, err)
		send(t, stack.OTLPHTTP+path, "application/x-protobuf", body)
	}
	answer := send(t, stack.NDJSON+"/v1/ingest", "application/x-ndjson", []byte(s.ndjson.String()))
	assert.Contains(t, answer, fmt.Sprintf(`"accepted":%d,"rejected":0`, s.lines))
}

func send(t *testing.T, url, contentType string, body []byte) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(text))
	return string(text)
}
