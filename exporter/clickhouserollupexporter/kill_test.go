package clickhouserollupexporter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/freeport"
)

// freePort gives an address that an engine can be started on again and again.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := freeport.Listen(t.Context(), "127.0.0.1")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// TestKilledEngine kills the engine while deliveries are stored. Each delivery
// that was answered must be stored, every row once, and the rollups must count
// what the tables hold.
func TestKilledEngine(t *testing.T) {
	const rounds, senders, rowsEach = 3, 8, 20
	server := enginetest.Start(t, enginetest.WithArgs("--listen", freePort(t)))
	cfg := configFor(server)
	cfg.Retry.MaxInterval = 200 * time.Millisecond
	e := startExporter(t, cfg)
	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())))

	var mu sync.Mutex
	var acknowledged []string
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for sender := range senders {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprintf("s%d-%d", sender, n)
				td := requestTraces(rowsEach, time.Now().Add(-time.Duration(n%3)*36*time.Hour))
				for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
					s.Attributes().PutStr("trackway.request.id", id)
				}
				if e.ConsumeTraces(context.Background(), td) == nil {
					mu.Lock()
					acknowledged = append(acknowledged, id)
					mu.Unlock()
				}
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged)
	}
	for range rounds {
		had := count()
		want := had + 1 + rand.IntN(3*senders) // somewhere in the middle of things
		require.Eventually(t, func() bool { return count() >= want }, time.Minute, time.Millisecond)
		server.Kill()
		server.Restart(t)
	}
	had := count()
	require.Eventually(t, func() bool { return count() > had+senders }, time.Minute, time.Millisecond, "ingest goes on")
	close(stop)
	wg.Wait()

	stored := map[string]string{}
	for _, row := range query(t, server, "SELECT request_id, count(), uniqExact(rid) FROM trackway.requests WHERE startsWith(request_id, 's') GROUP BY request_id") {
		stored[row[0]] = strings.Join(row[1:], " of ")
	}
	slices.Sort(acknowledged)
	for _, id := range acknowledged {
		assert.Equal(t, fmt.Sprintf("%d of %d", rowsEach, rowsEach), stored[id], "rows of %s", id)
	}
	total := query(t, server, "SELECT count() FROM trackway.requests")
	assert.Equal(t, total, query(t, server, "SELECT sum(cnt) FROM trackway.cnt_m"))
	assert.Equal(t, total, query(t, server, "SELECT sum(cnt) FROM trackway.cnt_h"))
	assert.Equal(t, total, query(t, server, "SELECT sum(cnt) FROM trackway.lat_m"))
	assert.Equal(t, total, query(t, server, "SELECT sum(cnt) FROM trackway.lat_h"))
	assert.Equal(t, total, query(t, server, "SELECT count() FROM trackway.events"))
	assert.Equal(t, total, query(t, server, "SELECT countIf(key = 'request_id' AND kind = 'request') FROM trackway.journey"))
	t.Logf("%d deliveries acknowledged over %d kills", len(acknowledged), rounds)
}
