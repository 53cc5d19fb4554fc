package metadata

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLease(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, other := open(t, dsn), open(t, dsn)
		acquire := func(s *Store, holder string) (Lease, bool) {
			l, held, err := s.AcquireLease(t.Context(), "alerts", holder, time.Hour)
			require.NoError(t, err)
			return l, held
		}
		first, held := acquire(s, "a")
		require.True(t, held)
		_, held = acquire(other, "b")
		assert.False(t, held, "somebody has it")
		again, held := acquire(s, "a")
		require.True(t, held)
		assert.Equal(t, first.Term, again.Term, "extended")

		require.NoError(t, other.ReleaseLease(t.Context(), "alerts", "b"))
		_, held = acquire(other, "b")
		assert.False(t, held, "only the holder releases")
		require.NoError(t, s.ReleaseLease(t.Context(), "alerts", "a"))
		next, held := acquire(other, "b")
		require.True(t, held)
		assert.Greater(t, next.Term, first.Term)

		_, err := s.db.ExecContext(t.Context(), "UPDATE leases SET until_ms = 1") // its time passes
		require.NoError(t, err)
		last, held := acquire(s, "a")
		require.True(t, held, "it ran out")
		assert.Greater(t, last.Term, next.Term)

		_, _, err = s.AcquireLease(t.Context(), "alerts", "", time.Hour)
		assert.ErrorIs(t, err, ErrInvalid)
	})
}

func TestOneOfManyGetsALease(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		stores := []*Store{open(t, dsn), open(t, dsn)}
		var holders atomic.Int32
		var done sync.WaitGroup
		for i := range 16 {
			done.Go(func() {
				_, held, err := stores[i%2].AcquireLease(t.Context(), "alerts", fmt.Sprint(i), time.Hour)
				assert.NoError(t, err)
				if held {
					holders.Add(1)
				}
			})
		}
		done.Wait()
		assert.Equal(t, int32(1), holders.Load())
	})
}
