package bench

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/recount"
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

// sampleEvery is how often memory is looked at.
const sampleEvery = 250 * time.Millisecond

// partsEvery is how often parts are counted: it costs the engine a query.
const partsEvery = 2 * time.Second

// watch looks at the processes of a point.
type watch struct {
	engine clickhouse.Endpoint
	start  time.Time
	pids   map[string]int

	mu      sync.Mutex
	samples []sample
	parts   int64
	peak    int64
	err     error
}

// sample is what all processes used at a time.
type sample struct {
	at    time.Time
	usage map[string]stack.Usage
	busy  stack.Busy
	parts int64
}

func newWatch(s *stack.Stack, sender *stack.Child) (*watch, error) {
	pids, err := s.PIDs()
	if err != nil {
		return nil, err
	}
	pids["bench"] = os.Getpid()
	if sender != nil {
		pids["sender"] = sender.PID()
	}
	return &watch{engine: s.Engine, pids: pids, start: time.Now()}, nil
}

// now reads what the processes have used so far.
func (w *watch) now() (sample, error) {
	s := sample{at: time.Now(), usage: map[string]stack.Usage{}}
	var err error
	if s.busy, err = stack.ReadBusy(); err != nil {
		return s, err
	}
	for name, pid := range w.pids {
		usage, err := stack.ReadUsage(pid)
		if errors.Is(err, os.ErrNotExist) && name == "sender" {
			continue // it ends before the store has drained
		}
		if err != nil {
			return s, err
		}
		s.usage[name] = usage
	}
	return s, nil
}

// run samples until ctx ends.
func (w *watch) run(ctx context.Context) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	var counted time.Time
	for {
		s, err := w.now()
		if time.Since(counted) > partsEvery {
			counted = time.Now()
			// A busy engine may answer late; the next count will do.
			if parts, err := recount.CountParts(ctx, w.engine); err == nil {
				w.mu.Lock()
				w.parts, w.peak = parts.Most, max(w.peak, parts.Most)
				w.mu.Unlock()
			}
		}
		w.mu.Lock()
		s.parts = w.parts
		if err != nil {
			w.err = err
		} else {
			w.samples = append(w.samples, s)
		}
		w.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// between gives the resident memory on average and the CPU used between two times,
// as cores.
func (w *watch) between(name string, from, to sample) (meanRSS int64, cores float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := int64(0)
	for _, s := range w.samples {
		if usage, found := s.usage[name]; found && !s.at.Before(from.at) && !s.at.After(to.at) {
			meanRSS += usage.RSS
			n++
		}
	}
	if n > 0 {
		meanRSS /= n
	}
	cores = (to.usage[name].CPU - from.usage[name].CPU).Seconds() / to.at.Sub(from.at).Seconds()
	return meanRSS, cores
}

// others gives the cores that processes which are not watched used between two
// times, and those that the host took away.
func (w *watch) others(from, to sample) (others, stolen float64) {
	length := to.at.Sub(from.at).Seconds()
	used := to.busy.All - from.busy.All
	for name := range w.pids {
		used -= to.usage[name].CPU - from.usage[name].CPU
	}
	return max(0, used.Seconds()/length), (to.busy.Stolen - from.busy.Stolen).Seconds() / length
}

// at gives the state at a time and the cores used in the second before it.
func (w *watch) at(t time.Time) (s report.Sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.RSS, s.Cores = map[string]int64{}, map[string]float64{}
	var last, before sample
	for _, candidate := range w.samples {
		if candidate.at.After(t) {
			break
		}
		last = candidate
		if candidate.at.Before(t.Add(-time.Second)) {
			before = candidate
		}
	}
	s.Parts = last.parts
	for name, usage := range last.usage {
		s.RSS[name] = usage.RSS
		if earlier, found := before.usage[name]; found {
			s.Cores[name] = (usage.CPU - earlier.CPU).Seconds() / last.at.Sub(before.at).Seconds()
		}
	}
	return s
}
