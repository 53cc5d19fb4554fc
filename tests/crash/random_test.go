package crash_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writers send units until told to stop; each repeats a unit until it is
// answered, as the exporter does.
const writers = 3

// ingest is a set of writers that outlives engines.
type ingest struct {
	store    atomic.Pointer[store]
	next     atomic.Uint64
	answered atomic.Uint64
	stop     chan struct{}
	group    sync.WaitGroup
}

func startIngest(ctx context.Context, first store, start time.Time) *ingest {
	in := &ingest{stop: make(chan struct{})}
	in.store.Store(&first)
	for range writers {
		in.group.Go(func() {
			for {
				select {
				case <-in.stop:
					return
				case <-ctx.Done():
					return
				default:
				}
				number := in.next.Add(1)
				for in.store.Load().insertUnit(ctx, number, start) != nil {
					select {
					case <-ctx.Done():
						return
					case <-time.After(10 * time.Millisecond): // not to spin on a dead engine
					}
				}
				in.answered.Add(1)
			}
		})
	}
	return in
}

// finish lets the writers end what they have begun and gives the last unit.
func (in *ingest) finish() uint64 {
	close(in.stop)
	in.group.Wait()
	return in.next.Load()
}

func TestKillAtRandomMoments(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	data, start := dataDir(t), today()
	e := startEngine(t, data, "127.0.0.1:0")
	e.createSchema(t)
	in := startIngest(t.Context(), e.store, start)
	for range rounds(t) {
		// Somewhere within some unit: after a random number of answers, and then
		// a random part of the time a unit takes.
		goal := in.answered.Load() + 1 + random.Uint64N(10)
		require.Eventually(t, func() bool { return in.answered.Load() >= goal }, time.Minute, time.Millisecond, "ingest goes on")
		time.Sleep(time.Duration(random.IntN(50_000)) * time.Microsecond)
		e.kill(t)
		e = startEngine(t, data, "127.0.0.1:0")
		require.Contains(t, e.Stderr(), "not closed cleanly")
		in.store.Store(&e.store)
	}
	last := in.finish()
	e.verifyUnits(t, last)
	for number := uint64(1); number <= last; number += max(1, last/20) {
		require.NoError(t, e.insertUnit(t.Context(), number, start), "a token repeated long after")
	}
	e.verifyUnits(t, last)
	e.Stop(t)
	t.Logf("%d units of %d rows", last, unitRows)
}
