package crash_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/tests/crash/faultfs"
)

// trapAt is a trap for the nth call of some kinds that a victim makes.
func (f *faults) trapAt(nth int, kinds ...faultfs.Kind) *faultfs.Trap {
	trap := &faultfs.Trap{Kinds: kinds, Nth: nth, Tear: f.random.IntN(2) == 0, Kill: f.kill}
	for _, v := range f.victims {
		trap.Below = append(trap.Below, places[v]...)
	}
	return trap
}

// powerCut has the disk forget. Every other time it keeps a part of what it need
// not keep.
func (f *faults) powerCut(t *testing.T) {
	t.Helper()
	if f.random.IntN(2) == 0 {
		f.forget(t, nil)
	} else {
		f.forget(t, f.random)
	}
}

// fails tells whether the power fails at a kill: not always, because what a killed
// process has not synced may still be lost when the next one dies.
func (f *faults) fails() bool { return f.random.IntN(3) > 0 }

// trapPatience is how long a call is waited for that may be rare.
const trapPatience = 10 * time.Second

// spring arms a trap, waits until it has killed, or kills without it, and leaves the
// disk as it is found afterwards.
func (f *faults) spring(t *testing.T, trap *faultfs.Trap, power bool) (what string) {
	t.Helper()
	what = fmt.Sprintf("not met: call %d of %v", trap.Nth, trap.Kinds)
	defer func() { what += map[bool]string{true: ", power cut"}[power] }()
	select {
	case <-trap.Sprung():
		what = fmt.Sprintf("%s (call %d of %v)", trap.Call(), trap.Nth, trap.Kinds)
	case <-time.After(trapPatience):
	}
	f.wait()
	if power {
		f.powerCut(t)
	}
	f.disk.Arm(nil)
	return what
}

// merge has the engine merge all the time what it merges now and then, and gives the
// function that ends it.
func (f *faults) merge(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			for table := range batchRows {
				// The engine may be away, or have nothing to merge.
				_, _ = f.store().post(ctx, "OPTIMIZE TABLE trackway."+table, nil, http.NoBody)
				pause(ctx, mergePause)
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// sourceLifetime is how long parts stay here that were merged: three times as long as
// the engine process takes to sync the part made of them, and less than it would be.
const sourceLifetime = 3 * 5 * time.Second

// mergePause lets inserts through.
const mergePause = 100 * time.Millisecond

// choice is what a trap counts.
type choice struct {
	kinds []faultfs.Kind
	most  int      // the last call that it may be
	below []string // in place of all places of the victims
}

// choices are what rounds take in turn. Under load some 1,000 writes, 100 syncs and 100
// changes of names pass in a second, and few to the dead letters.
var choices = []choice{
	{kinds: []faultfs.Kind{faultfs.Write}, most: 200},
	{kinds: []faultfs.Kind{faultfs.Sync}, most: 60},
	{kinds: []faultfs.Kind{faultfs.Rename}, most: 60},
	{most: 300},
	{most: 8, below: []string{"/collector/deadletter"}},
}

// choose gives a trap of a choice. The dead letters are the collector's alone.
func (f *faults) choose(c choice) *faultfs.Trap {
	if len(c.below) > 0 && !f.isVictim(collectorVictim) {
		c = choices[0]
	}
	trap := f.trapAt(1+f.random.IntN(c.most), c.kinds...)
	if len(c.below) > 0 {
		trap.Below = c.below
	}
	return trap
}

// mostRecoveries is how often, at most, a recovery is killed before one is let
// through.
const mostRecoveries = 2

// The collector, the engine, or both, die at a write, sync or change of a name, and
// again while they recover from that; then everything is counted. With power, all
// that was not synced is gone as well, most of the times. Some items are refused by
// the store and become dead letters.
func TestFaults(t *testing.T) {
	for _, victims := range [][]string{{collectorVictim}, {engineVictim}, {engineVictim, collectorVictim}} {
		for _, power := range []bool{false, true} {
			name := victims[0]
			if len(victims) > 1 {
				name = "both"
			}
			if power {
				name += "Power"
			} else {
				name += "Kill"
			}
			t.Run(name, func(t *testing.T) {
				inGroups(t, faultRounds(t), func(t *testing.T, rounds int) { runFaults(t, victims, power, rounds) })
			})
		}
	}
}

func runFaults(t *testing.T, victims []string, power bool, rounds int) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := newFaults(t, seed, victims...)
	s := startSender(t, f.collector.ndjson, f.collector.data)
	defer s.stop()
	s.more(t, 5)
	s.recountPaused(t, f.store())
	f.store().setLifetime(t, int(sourceLifetime.Seconds()))
	if f.isVictim(collectorVictim) {
		s.refusePoison(t, f.store())
	}
	merging := f.merge(t.Context())
	defer merging()
	for round := range rounds {
		began := time.Now()
		trap := f.choose(choices[round%len(choices)])
		f.disk.Arm(trap)
		t.Logf("round %d: %s", round, f.spring(t, trap, power && f.fails()))
		for range f.random.IntN(mostRecoveries + 1) {
			trap := f.choose(choices[f.random.IntN(len(choices))])
			f.disk.Arm(trap)
			f.launch(t)
			t.Logf("round %d, recovery: %s", round, f.spring(t, trap, power && f.fails()))
		}
		f.start(t)
		s.more(t, 5)
		recovered := time.Now()
		s.recountPaused(t, f.store())
		t.Logf("round %d: faults %s, recount %s", round, recovered.Sub(began).Round(time.Millisecond), time.Since(recovered).Round(time.Millisecond))
	}
	s.finish(t, f.store())
}

// faultRounds is how often each kind of fault is made: as often as TRACKWAY_KILL_ROUNDS
// says, otherwise a few times.
func faultRounds(t *testing.T) int {
	t.Helper()
	if os.Getenv("TRACKWAY_KILL_ROUNDS") == "" {
		return 2
	}
	return rounds(t)
}
