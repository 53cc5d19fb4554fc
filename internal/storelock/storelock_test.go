package storelock

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func tableOf(t *testing.T, server *enginetest.Server) Table {
	t.Helper()
	server.Exec(t, `CREATE TABLE locks (name LowCardinality(String), generation UInt64, owner String, released UInt8,
		at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')) ENGINE = MergeTree ORDER BY (name, generation)
		SETTINGS non_replicated_deduplication_window = 10000`)
	client := &clickhouse.Client{URL: server.URL, User: server.User, Password: server.Password}
	client.HTTP = newHTTP(t)
	return Table{Query: client.Query, Name: "default.locks"}
}

func TestOneAtATime(t *testing.T) {
	table := tableOf(t, enginetest.Start(t))
	var inside, most, total atomic.Int32
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			lock, err := Acquire(t.Context(), table, "m")
			if !assert.NoError(t, err) {
				return
			}
			if n := inside.Add(1); n > most.Load() {
				most.Store(n)
			}
			total.Add(1)
			assert.NoError(t, lock.Check(t.Context()))
			inside.Add(-1)
			assert.NoError(t, lock.Release(t.Context()))
		})
	}
	wg.Wait()
	assert.Equal(t, int32(1), most.Load(), "never two inside")
	assert.Equal(t, int32(12), total.Load(), "everybody had it")
}

func TestHolderThatDied(t *testing.T) {
	server := enginetest.Start(t)
	table := tableOf(t, server)
	first, err := TryAcquire(t.Context(), table, "m")
	require.NoError(t, err)
	_, err = TryAcquire(t.Context(), table, "m")
	require.ErrorIs(t, err, ErrHeld)
	require.ErrorContains(t, err, first.owner)
	other, err := TryAcquire(t.Context(), table, "another")
	require.NoError(t, err, "locks of other names are other locks")
	require.NoError(t, other.Release(t.Context()))

	// Its last sign of life is as old as that of a process that died.
	server.Exec(t, fmt.Sprintf("ALTER TABLE locks UPDATE at = at - %d WHERE name = 'm' SETTINGS mutations_sync = 2", int(Expiry.Seconds())+1))
	require.ErrorIs(t, first.Check(t.Context()), ErrLost, "a holder that paused stops at its next step, before anybody else came")
	second, err := TryAcquire(t.Context(), table, "m")
	require.NoError(t, err)
	require.ErrorIs(t, first.Check(t.Context()), ErrLost)
	require.NoError(t, first.Release(t.Context()), "a release that comes late frees nothing")
	require.NoError(t, second.Check(t.Context()))
	_, err = TryAcquire(t.Context(), table, "m")
	require.ErrorIs(t, err, ErrHeld)
	require.NoError(t, second.Release(t.Context()))
}

// TestLostClaim has an insert answered and its row gone, as after a crash of the
// server between its deduplication log and its part.
func TestLostClaim(t *testing.T) {
	server := enginetest.Start(t)
	table := tableOf(t, server)
	server.Exec(t, insertStatement(table.Name, "m", 1, "lost", false, "claim"))
	server.Exec(t, "ALTER TABLE locks DELETE WHERE owner = 'lost' SETTINGS mutations_sync = 2")
	lock, err := TryAcquire(t.Context(), table, "m")
	require.NoError(t, err)
	assert.Equal(t, uint64(2), lock.generation)
	require.NoError(t, lock.Release(t.Context()))
}

func TestWaitEndsWithItsContext(t *testing.T) {
	table := tableOf(t, enginetest.Start(t))
	lock, err := TryAcquire(t.Context(), table, "m")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = Acquire(ctx, table, "m")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, lock.Release(t.Context()))
}
