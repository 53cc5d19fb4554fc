package crash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/tests/harness"
)

// senderPause bounds the load on the machine that also runs strace.
const (
	senderPause = 50 * time.Millisecond
	senders     = 8
)

// A batch is an NDJSON body of items of all kinds. Every batch has the same rows in
// each table.
const (
	batchRequests = 20
	batchSpans    = 12
	batchEvents   = 8
	batchItems    = batchRequests + batchSpans + batchEvents
	batchErrors   = 6 // requests that failed; the exception of each is an event too
)

var batchRows = map[string]int{"requests": batchRequests, "spans": batchSpans, "events": batchEvents + batchErrors}

// sender posts NDJSON batches to the collector and remembers which it answered with
// 200. Batches of even numbers have a batch id and are sent again until they are
// answered; the others are sent once.
type sender struct {
	ndjson   string
	data     string        // of the collector
	admin    *admin.Client // of the collector's admin socket
	start    time.Time
	next     atomic.Uint64
	answered atomic.Uint64
	stop     context.CancelFunc
	group    sync.WaitGroup
	gate     sync.RWMutex // held by who sends; to pause is to lock it

	// poisonFrom is the first batch of those of which the store may refuse a request;
	// 0 if it refuses none.
	poisonFrom atomic.Uint64

	mu    sync.Mutex
	acked map[uint64]bool
}

// poisonEvery is how rare batches are of which the store refuses the first request:
// for each, its unit is halved again and again.
const poisonEvery = 400

const poisonRoute = "/poison"

// refusePoison has the store refuse such requests, and sends some from now on.
func (s *sender) refusePoison(t *testing.T, to store) {
	t.Helper()
	s.gate.Lock()
	defer s.gate.Unlock()
	to.ask(t, "ALTER TABLE trackway.requests ADD CONSTRAINT no_poison CHECK route != '"+poisonRoute+"'")
	s.poisonFrom.Store(s.next.Load() + 1)
}

// isPoisoned tells whether the store refuses the first request of a batch.
func (s *sender) isPoisoned(batch uint64) bool {
	from := s.poisonFrom.Load()
	return from > 0 && batch >= from && batch%poisonEvery == 0
}

// startSender sends to the collector whose data directory is given, too.
func startSender(t *testing.T, ndjson, data string) *sender {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sender{
		ndjson: ndjson, data: data, admin: admin.NewClient(filepath.Join(data, "run", "collector.sock")),
		start: time.Now().UTC(), stop: cancel, acked: make(map[uint64]bool),
	}
	for range senders {
		s.group.Go(func() {
			for ctx.Err() == nil {
				s.gate.RLock()
				s.send(ctx, s.next.Add(1))
				s.gate.RUnlock()
				pause(ctx, senderPause)
			}
		})
	}
	return s
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// send posts a batch, again and again if it has an id by which the collector knows
// that it has it.
func (s *sender) send(ctx context.Context, batch uint64) {
	repeated := batch%2 == 0
	for !s.post(ctx, batch, repeated) && repeated && ctx.Err() == nil {
		pause(ctx, senderPause)
	}
}

// post posts a batch once and tells whether it was answered with 200.
func (s *sender) post(ctx context.Context, batch uint64, withID bool) bool {
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, s.ndjson+"/v1/ingest", bytes.NewReader(s.body(batch)))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if withID {
		req.Header.Set("Trackway-Batch-Id", fmt.Sprint("batch-", batch))
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	var said struct{ Accepted, Rejected int }
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(answer, &said) != nil || said.Accepted != batchItems {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[batch] = true
	s.answered.Add(1)
	return true
}

// body is a batch of today and yesterday.
func (s *sender) body(batch uint64) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for i := range batchItems {
		item := map[string]any{
			"ts":      s.start.AddDate(0, 0, -(i % 2)).Add(time.Duration(i) * time.Millisecond).Format(time.RFC3339Nano),
			"service": "api", "env": "test", "trace_id": fmt.Sprintf("%032x", batch<<16+uint64(i)+1), "span_id": fmt.Sprintf("%016x", i+1),
			"attributes": map[string]string{"plan": "pro"}, "correlation": map[string]string{"order_id": fmt.Sprint("o", batch)},
		}
		switch {
		case i < batchRequests:
			item["type"], item["method"], item["request_id"] = "request", "GET", fmt.Sprintf("r-%d-%d", batch, i)
			item["route"], item["path"] = fmt.Sprintf("/projects/:id/%d", i%5), fmt.Sprintf("/projects/7/%d", i%5)
			if i == 0 && s.isPoisoned(batch) {
				item["route"] = poisonRoute
			}
			item["status"], item["duration_ms"] = []int{200, 404, 503}[i%3], float64(i)+0.5
			if i%3 == 2 {
				item["error"] = map[string]string{"type": "TimeoutError", "message": "no answer", "stack": "at f (a.js:1:1)"}
			}
		case i < batchRequests+batchSpans:
			item["type"], item["name"], item["kind"], item["duration_ms"] = "span", "SELECT tasks", "client", float64(i)
		default:
			item["type"], item["name"], item["severity"], item["message"] = "event", "order.paid", "info", "paid"
		}
		if err := enc.Encode(item); err != nil {
			panic(err) // maps of plain values
		}
	}
	return out.Bytes()
}

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

// finish stops sending and recounts.
func (s *sender) finish(t *testing.T, to store) {
	t.Helper()
	s.stop()
	s.group.Wait()
	s.recount(t, to)
	t.Logf("%d batches of %d answered, all stored once", len(s.acked), batchItems)
}

// recountPaused is recount while senders wait.
func (s *sender) recountPaused(t *testing.T, to store) {
	t.Helper()
	s.gate.Lock()
	defer s.gate.Unlock()
	s.recount(t, to)
}

// recount waits until the collector has nothing left to store, and requires that
// every batch that was answered is stored once and whole, that every other is stored
// so or not at all, that what is derived from the rows agrees with them, and that
// the delivery ledger adds up.
func (s *sender) recount(t *testing.T, to store) {
	t.Helper()
	var last any
	require.Eventually(t, func() bool {
		n, err := s.pending()
		last = fmt.Sprint(n, " ", err)
		return err == nil && n == 0
	}, 3*time.Minute, 50*time.Millisecond, "the journal is drained: %v", &last)

	s.mu.Lock()
	defer s.mu.Unlock()
	buried := 0
	for table, want := range batchRows {
		answer := to.ask(t, "SELECT toUInt64(substring(correlation['order_id'], 2)) AS batch, count(), uniqExact(rid) FROM trackway."+table+" GROUP BY batch")
		stored := make(map[uint64]bool)
		for line := range strings.Lines(answer) {
			want := want
			var batch uint64
			var rows, distinct int
			_, err := fmt.Sscan(line, &batch, &rows, &distinct)
			require.NoError(t, err, "%s", line)
			if !s.acked[batch] && table == "events" && (rows == batchEvents || rows == batchErrors) {
				want = rows // requests and log records of a body are offered one after the other
			}
			if table == "requests" && s.isPoisoned(batch) {
				want--
				buried++
			}
			require.Equal(t, []int{want, want}, []int{rows, distinct}, "rows and distinct rows of batch %d in %s; answered: %v", batch, table, s.acked[batch])
			stored[batch] = true
		}
		for batch := range s.acked {
			require.True(t, stored[batch], "batch %d was answered and is not in %s", batch, table)
		}
	}
	require.Equal(t, buried, s.deadLetters(t), "dead letters")
	to.verifyDerived(t)
	s.verifyLedger(t, to)
}

// deadLetters is how many items `trackway deadletter list` knows.
func (s *sender) deadLetters(t *testing.T) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), harness.Trackway(t), "deadletter", "list", "--json", "--data", s.data).Output()
	require.NoError(t, err, "trackway deadletter list: %s", out)
	var list struct{ Entries []struct{ ID string } }
	require.NoError(t, json.Unmarshal(out, &list))
	return len(list.Entries)
}

// verifyLedger has `trackway doctor` compare the ledger with queue, dead letters
// and rows, and what is derived from the rows of the last hour with them; verifyDerived
// has compared the rest.
func (s *sender) verifyLedger(t *testing.T, to store) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Trackway(t), "doctor", "--data", s.data, "--endpoint", to.url, "--sample", "0", "--settle", "1m")
	cmd.Env = append(os.Environ(), "TRACKWAY_CLICKHOUSE_PASSWORD="+to.password)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "trackway doctor: %s", out)
	require.Contains(t, string(out), "everything adds up")
}
