package crash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/admin"
)

// batchItems is the size of an NDJSON body; senderPause bounds the load on the
// machine that also runs strace.
const (
	batchItems  = 40
	senderPause = 20 * time.Millisecond
	senders     = 8
)

// sender posts NDJSON batches of requests to the collector and remembers which
// it answered with 200.
type sender struct {
	ndjson   string
	admin    *admin.Client // of the collector's admin socket
	start    time.Time
	next     atomic.Uint64
	answered atomic.Uint64
	stop     context.CancelFunc
	group    sync.WaitGroup

	mu    sync.Mutex
	acked map[uint64]bool
}

// startSender sends to the collector whose data directory is given, too.
func startSender(t *testing.T, ndjson, data string) *sender {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sender{ndjson: ndjson, admin: admin.NewClient(filepath.Join(data, "run", "collector.sock")), start: time.Now().UTC(), stop: cancel, acked: make(map[uint64]bool)}
	for range senders {
		s.group.Go(func() {
			for ctx.Err() == nil {
				s.send(s.next.Add(1))
				select {
				case <-ctx.Done():
				case <-time.After(senderPause):
				}
			}
		})
	}
	return s
}

// send posts a batch once. One that is refused is not repeated: without a batch
// id the collector could not tell whether it has it.
func (s *sender) send(batch uint64) {
	res, err := client.Post(s.ndjson+"/v1/ingest", "application/x-ndjson", bytes.NewReader(s.body(batch)))
	if err != nil {
		return
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	var said struct{ Accepted, Rejected int }
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(answer, &said) != nil || said.Accepted != batchItems {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[batch] = true
	s.answered.Add(1)
}

// body is a batch of requests of today and yesterday.
func (s *sender) body(batch uint64) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for i := range batchItems {
		err := enc.Encode(map[string]any{
			"type": "request", "ts": s.start.AddDate(0, 0, -(i % 2)).Add(time.Duration(i) * time.Millisecond).Format(time.RFC3339Nano),
			"service": "api", "env": "test", "method": "GET", "route": fmt.Sprintf("/projects/:id/%d", i%5), "path": fmt.Sprintf("/projects/7/%d", i%5),
			"status": []int{200, 404, 503}[i%3], "duration_ms": float64(i) + 0.5, "request_id": requestID(batch, i),
			"trace_id": fmt.Sprintf("%032x", batch<<16+uint64(i)+1), "span_id": fmt.Sprintf("%016x", i+1),
			"attributes": map[string]string{"plan": "pro"}, "correlation": map[string]string{"order_id": fmt.Sprint("o", batch)},
		})
		if err != nil {
			panic(err) // maps of plain values
		}
	}
	return out.Bytes()
}

func requestID(batch uint64, item int) string { return fmt.Sprintf("r-%d-%d", batch, item) }

// more waits until n more batches have been answered.
func (s *sender) more(t *testing.T, n uint64) {
	t.Helper()
	goal := s.answered.Load() + n
	require.Eventually(t, func() bool { return s.answered.Load() >= goal }, 2*time.Minute, 5*time.Millisecond, "the collector answers on")
}

// pending is how many deliveries the collector has in its journal.
func (s *sender) pending() (int, error) {
	var clients []struct{ Deliveries int }
	if err := s.admin.Do(context.Background(), http.MethodGet, "/pending", nil, &clients); err != nil {
		return 0, err
	}
	n := 0
	for _, c := range clients {
		n += c.Deliveries
	}
	return n, nil
}

// finish stops sending, waits until the collector has nothing left to store, and
// requires that everything answered is there once and that nothing else is there
// twice.
func (s *sender) finish(t *testing.T, to store) {
	t.Helper()
	s.stop()
	s.group.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := func() []string {
		answer, err := to.post(t.Context(), "SELECT request_id FROM trackway.requests", nil, http.NoBody)
		if err != nil {
			return []string{err.Error()}
		}
		stored := make(map[string]bool)
		for id := range strings.Lines(answer) {
			stored[strings.TrimSuffix(id, "\n")] = true
		}
		var out []string
		for batch := range s.acked {
			for i := range batchItems {
				if !stored[requestID(batch, i)] {
					out = append(out, requestID(batch, i))
				}
			}
		}
		return out
	}
	require.Eventually(t, func() bool {
		n, err := s.pending()
		return err == nil && n == 0
	}, 3*time.Minute, 100*time.Millisecond, "the journal is drained")
	left := missing()
	require.Empty(t, left, "acknowledged and not stored")
	require.Empty(t, to.ask(t, "SELECT request_id, count() FROM trackway.requests GROUP BY request_id HAVING count() > 1 LIMIT 20"), "stored more than once")
	to.verifyDerived(t)
	t.Logf("%d batches of %d answered, all stored once", len(s.acked), batchItems)
}
