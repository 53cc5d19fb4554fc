package ingest_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/tests/harness"
)

// TestBatchSentAgain sends a body twice, as after a 503: under a batch id its
// items have the same ids each time.
func TestBatchSentAgain(t *testing.T) {
	stack := harness.StartStack(t)
	for _, batchID := range []string{"", "batch-7"} {
		body := line(t, "type", "request", "service", "again"+batchID, "status", 200, "ts", stamp(time.Now().Add(-time.Minute)))
		for range 2 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, stack.NDJSON+"/v1/ingest", strings.NewReader(body))
			require.NoError(t, err)
			if batchID != "" {
				req.Header.Set("Trackway-Batch-Id", batchID)
			}
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, http.StatusOK, res.StatusCode)
		}
		ids := map[string]bool{}
		var rows []record.JSON
		require.Eventually(t, func() bool {
			rows = stack.List(t, "requests", "service = 'again"+batchID+"'")
			return len(rows) > 0
		}, arrival, 50*time.Millisecond)
		for _, r := range rows {
			ids[r.ID] = true
		}
		t.Logf("batch id %q: %d rows, %d ids", batchID, len(rows), len(ids))
		if batchID == "" {
			assert.Len(t, ids, 2)
		} else {
			assert.Len(t, ids, 1)
		}
	}
}

// TestStoreThatIsAwayIsNamed sends to a collector whose queue is in memory and whose
// store is away, and reads what the sender is told once its time is over.
func TestStoreThatIsAwayIsNamed(t *testing.T) {
	addrs := harness.FreeAddresses(t, 6)
	config, err := os.ReadFile(filepath.Join(harness.Root(t), "config", "standalone.yaml"))
	require.NoError(t, err)
	text := string(config)
	for old, changed := range map[string]string{
		"read_header_timeout: 20s":                             "read_header_timeout: 1s",
		"  request_event:\n":                                   "  request_event:\n    timeout: 2s\n",
		"      storage: journal_storage\n    ledger: ledger\n": "      wait_for_result: true\n",
		"async_insert: false":                                  "create_schema: false", // else it asks the store at start
	} {
		require.Equal(t, 1, strings.Count(text, old), old)
		text = strings.Replace(text, old, changed, 1)
	}
	collector := harness.StartCollector(t, text, addrs[4], "TRACKWAY_DATA="+t.TempDir(),
		"TRACKWAY_OTLP_GRPC_ENDPOINT="+addrs[0], "TRACKWAY_OTLP_HTTP_ENDPOINT="+addrs[1], "TRACKWAY_NDJSON_ENDPOINT="+addrs[2],
		"TRACKWAY_LIVE_TAIL_ENDPOINT="+addrs[3], "TRACKWAY_HEALTH_ENDPOINT="+addrs[4], "TRACKWAY_CLICKHOUSE_ENDPOINT=http://"+addrs[5])
	res, err := http.Post("http://"+addrs[2]+"/v1/ingest", "application/x-ndjson", strings.NewReader(line(t, "type", "request")))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var answer ingestAnswer
	require.NoError(t, json.NewDecoder(res.Body).Decode(&answer))
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.Contains(t, answer.Error, "not stored within 2s: ")
	assert.Contains(t, answer.Error, "store unreachable at http://"+addrs[5])
	assert.NotContains(t, collector.Stderr(), "\n\t/", "lines of a stack trace")

	// A sender that never ends its headers is hung up on.
	conn, err := net.Dial("tcp", addrs[1])
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "POST /v1/traces HTTP/1.1\r\nHo")
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(arrival)))
	_, err = io.ReadAll(conn)
	require.NoError(t, err, "the server ends the connection")
}
