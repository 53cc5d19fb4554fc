package ops_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

func TestABatchThatIsSentAgainCountsOnce(t *testing.T) {
	s := harness.StartStack(t)
	lines := []string{requestLine("/once", 1), eventLine(1), `{"type":"request","status":"abc"}`}
	first := send(t, s, "batch-1", lines...)
	assert.Equal(t, answer{Accepted: 2, Rejected: 1}, first)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { assert.Equal(t, first, send(t, s, "batch-1", lines...)) })
		wg.Go(func() { send(t, s, "batch-2", requestLine("/twice", 2)) })
	}
	wg.Wait()
	flush(t, s) // refusals and repeats are counted a moment later, and not in the journal's record

	pid := s.ChildPID(t, "collector")
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.True(t, assertEventually(func() bool { return s.ChildPID(t, "collector") != pid }))
	assert.Equal(t, first, send(t, s, "batch-1", lines...), "remembered across a restart")
	send(t, s, "batch-2", requestLine("/twice", 2))
	send(t, s, "batch-3", requestLine("/last", 3))
	eventually(t, s, "1", "SELECT count() FROM trackway.requests WHERE route = '/last'")
	eventually(t, s, "1\t1", "SELECT countIf(route = '/once'), countIf(route = '/twice') FROM trackway.requests")
	eventually(t, s, "1", "SELECT count() FROM trackway.events")

	flush(t, s)
	eventually(t, s, fmt.Sprint(9*2+8), "SELECT sum(dropped['repeated']) FROM trackway.delivery_ledger FINAL")
}

func TestOTLPBatchesCountOnceToo(t *testing.T) {
	s := harness.StartStack(t)
	body := fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"%d","body":{"stringValue":"once"}}]}]}]}`, time.Now().UnixNano())
	for range 3 {
		require.True(t, assertEventually(func() bool {
			req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.OTLPHTTP+"/v1/logs", strings.NewReader(body))
			require.NoError(t, err)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Trackway-Batch-Id", "otlp-1")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		}))
	}
	send(t, s, "", eventLine(1))
	eventually(t, s, "1\t1", "SELECT countIf(message = 'once'), countIf(name = 'order.paid') FROM trackway.events")
}
