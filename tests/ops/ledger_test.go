package ops_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// What senders were told, the ledger, and the rows in the store agree, although the
// collector is killed again and again while they send.
func TestLedgerAddsUpUnderKills(t *testing.T) {
	s := harness.StartStack(t)
	send(t, s, "", requestLine("/warm", 0))
	const senders, batches = 4, 12
	var wg sync.WaitGroup
	for w := range senders {
		wg.Go(func() {
			for i := range batches {
				// The batch id makes the repeats of what was not answered count once.
				a := send(t, s, fmt.Sprintf("b-%d-%d", w, i), requestLine("/a", i), eventLine(i), requestLine("/b", i))
				assert.Equal(t, 3, a.Accepted)
			}
		})
	}
	for range 3 {
		pid := s.ChildPID(t, "collector")
		send(t, s, "", requestLine("/between", 0))
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		require.True(t, assertEventually(func() bool { return s.ChildPID(t, "collector") != pid }))
		send(t, s, "", requestLine("/between", 0))
	}
	wg.Wait()
	eventually(t, s, fmt.Sprint(senders*batches*2), "SELECT count() FROM trackway.requests WHERE route IN ('/a', '/b')")
	eventually(t, s, fmt.Sprint(senders*batches), "SELECT count() FROM trackway.events")
	stored := senders*batches*3 + 1 + 6
	eventually(t, s, fmt.Sprint(stored), "SELECT (SELECT count() FROM trackway.requests) + (SELECT count() FROM trackway.events)")

	flush(t, s)
	require.True(t, assertEventually(func() bool {
		flush(t, s)
		return s.ClickHouse.Query(t, "SELECT sum(pending) FROM trackway.delivery_ledger FINAL") == "0"
	}))
	got := s.ClickHouse.Query(t, `SELECT sum(stored) = `+fmt.Sprint(stored)+`, sum(dead_letter), sum(removed), sum(received) = sum(accepted) + sum(rejected),
		sum(accepted) = sum(stored) + sum(dropped_items), sum(request_rows) = (SELECT count() FROM trackway.requests), sum(event_rows) = (SELECT count() FROM trackway.events)
		FROM trackway.delivery_ledger FINAL WHERE project = 'default'`)
	assert.Equal(t, "1\t0\t0\t1\t1\t1\t1", got, s.ClickHouse.Query(t, ledgerSums))
	assert.Empty(t, s.ClickHouse.Query(t, `SELECT minute, sum(n) FROM (
		SELECT minute, request_rows AS n FROM trackway.delivery_ledger FINAL
		UNION ALL SELECT toDateTime(intDiv(bitShiftRight(unit, 32), 60) * 60, 'UTC'), -1 FROM trackway.requests
	) GROUP BY minute HAVING sum(n) != 0`), "rows are counted in the minute in which their unit was formed")
}

// An item that the store refuses is among the dead letters once and counted once,
// whenever the collector is killed while it looks for it.
func TestDeadLettersAddUpUnderKills(t *testing.T) {
	s := harness.StartStack(t)
	send(t, s, "", requestLine("/warm", 0))
	eventually(t, s, "1", "SELECT count() FROM trackway.requests")
	s.ClickHouse.Query(t, "ALTER TABLE trackway.requests ADD CONSTRAINT no_poison CHECK route != '/poison'")
	const batches = 30
	kills := 0
	for i := range batches {
		send(t, s, fmt.Sprint("b", i), requestLine("/good", i), eventLine(i), requestLine("/poison", i), requestLine("/good", i))
		if i%6 == 5 {
			pid := s.ChildPID(t, "collector")
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			require.True(t, assertEventually(func() bool { return s.ChildPID(t, "collector") != pid }))
			kills++
		}
	}
	require.Positive(t, kills)
	eventually(t, s, fmt.Sprintf("%d\t0", 2*batches), "SELECT countIf(route = '/good'), countIf(route = '/poison') FROM trackway.requests")
	eventually(t, s, fmt.Sprint(batches), "SELECT count() FROM trackway.events")
	require.True(t, assertEventually(func() bool { return len(letters(t, s.Data).Entries) == batches }))
	want := fmt.Sprintf("%d\t%d\t0", 3*batches+1, batches)
	sums := "SELECT sum(stored), sum(dead_letter), sum(pending) FROM trackway.delivery_ledger FINAL"
	require.True(t, assertEventually(func() bool {
		flush(t, s)
		return s.ClickHouse.Query(t, sums) == want
	}), "want %s, got %s", want, s.ClickHouse.Query(t, sums))
	assert.Len(t, letters(t, s.Data).Entries, batches)
	r, failed := doctor(t, s)
	assert.False(t, failed, "%+v", r.Findings)
}
