package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
	"github.com/trackwayhq/trackway/cmd/internal/machine"
	"github.com/trackwayhq/trackway/internal/pause"
)

// maxPrepared bounds the memory of prepared bodies. Bodies are sent again with
// new times and ids when a run needs more.
const maxPrepared = 128 << 20

// approximateItem is what one prepared item takes, in bytes, to divide
// maxPrepared by.
const approximateItem = 1100

// failurePause keeps a connection from spinning while nothing listens.
const failurePause = 100 * time.Millisecond

// LoadOptions configures Load.
type LoadOptions struct {
	URL         string // base of the NDJSON endpoint
	Seed        uint64
	Concurrency int // connections
	BatchSize   int // items a body
	Duration    time.Duration
	// TargetEPS makes the loop open: bodies are due at fixed times for so many
	// items a second, and latency counts from the time a body was due. 0 makes
	// it closed: each connection sends its next body when the last is answered.
	TargetEPS float64
	Mix       workload.Mix
	Log       io.Writer
}

// Limits of what can be asked for: beyond them, the sender measures itself.
const (
	maxConcurrency = 10_000
	maxBatchSize   = 1_000_000
	maxTargetEPS   = 100_000_000
)

// Validate says which option is out of range.
func (o LoadOptions) Validate() error {
	switch {
	case o.Concurrency < 1 || o.Concurrency > maxConcurrency:
		return fmt.Errorf("--concurrency: want 1 to %d, got %d", maxConcurrency, o.Concurrency)
	case o.BatchSize < 1 || o.BatchSize > maxBatchSize:
		return fmt.Errorf("--batch-size: want 1 to %d, got %d", maxBatchSize, o.BatchSize)
	case o.Duration <= 0:
		return fmt.Errorf("--seconds: want more than 0, got %g", o.Duration.Seconds())
	case !(o.TargetEPS >= 0 && o.TargetEPS <= maxTargetEPS): // NaN neither
		return fmt.Errorf("--target-eps: want 0 for a closed loop, or at most %d, got %g", maxTargetEPS, o.TargetEPS)
	}
	return nil
}

// Load sends as fast as asked for the given time and reports what happened.
// Bodies are made before the clock starts.
func Load(ctx context.Context, o LoadOptions) (Report, error) {
	if err := o.Validate(); err != nil {
		return Report{}, err
	}
	distant := time.Unix(1<<40, 0) // neither incident nor release during a measurement
	gen := NewGenerator(o.Seed, Story{IncidentStart: distant, IncidentEnd: distant, Release: distant})
	count := max(o.Concurrency, min(maxPrepared/(approximateItem*o.BatchSize), o.Concurrency*16))
	fmt.Fprintf(o.Log, "preparing %d bodies of %d items\n", count, o.BatchSize)
	bodies, err := prepare(gen, time.Now(), count, o.BatchSize, o.Mix)
	if err != nil {
		return Report{}, err
	}

	run := &loadRun{options: o, sender: NewSender(o.URL, o.Concurrency), free: make(chan *body, len(bodies))}
	defer run.sender.Close()
	for _, b := range bodies {
		run.free <- b
	}
	if o.TargetEPS > 0 {
		run.interval = time.Duration(float64(o.BatchSize) / o.TargetEPS * float64(time.Second))
		run.total = int64(o.Duration / run.interval)
	}
	fmt.Fprintf(o.Log, "sending to %s for %s\n", run.sender.url, o.Duration)

	cpu := machine.CPUTime()
	run.start = time.Now()
	workers := make([]*loadWorker, o.Concurrency)
	var group sync.WaitGroup
	for i := range workers {
		w := &loadWorker{
			loadRun:  run,
			latency:  sender.NewHistogram(),
			response: sender.NewHistogram(),
		}
		workers[i] = w
		group.Go(func() { w.work(ctx) })
	}
	group.Wait()
	elapsed := time.Since(run.start)
	if run.total > 0 && ctx.Err() == nil {
		elapsed = max(elapsed, o.Duration) // the last body is due an interval before the end
	}
	return run.report(workers, elapsed, machine.CPUTime()-cpu), nil
}

// loadRun is what the workers of one load share.
type loadRun struct {
	options  LoadOptions
	sender   *Sender
	free     chan *body // bodies no worker is sending
	start    time.Time
	interval time.Duration // between due times; 0 in a closed loop
	total    int64         // due times in the run; 0 in a closed loop
	taken    atomic.Int64  // due times that a worker took
}

// loadWorker is one connection.
type loadWorker struct {
	*loadRun
	latency  *hdrhistogram.Histogram // µs from the due time, accepted batches only
	response *hdrhistogram.Histogram // µs from the sending, accepted batches only
	counts   Counts
	samples  []string // first errors
}

// work sends one body after the other until the run is over.
func (w *loadWorker) work(ctx context.Context) {
	end := w.start.Add(w.options.Duration)
	for {
		due, more := w.nextDue(ctx, end)
		if !more {
			return
		}
		b := <-w.free
		now := time.Now()
		b.stamp(now, 10*time.Microsecond)
		sent := time.Now()
		if due.IsZero() {
			due = sent
		}
		answer, err := w.sender.Send(ctx, b.content, "")
		answered := time.Now()
		w.counts.BytesSent += int64(len(b.content))
		w.counts.ItemsSent += int64(b.items)
		w.free <- b

		var refused *RefusedError
		switch {
		case err == nil:
			w.counts.BatchesAccepted++
			w.counts.ItemsAccepted += int64(answer.Accepted)
			w.counts.ItemsRejected += int64(answer.Rejected)
			sender.Record(w.latency, answered.Sub(due).Microseconds())
			sender.Record(w.response, answered.Sub(sent).Microseconds())
		case errors.As(err, &refused):
			w.counts.BatchesRefused++
			// A wait past the end of the run would only make it longer.
			if pause.For(ctx, min(refused.RetryAfter, time.Until(end))) != nil {
				return
			}
		case ctx.Err() != nil:
			return
		default:
			w.counts.BatchesFailed++
			if unusable := (*UnusableError)(nil); errors.As(err, &unusable) {
				w.counts.BatchesAnswered++
			}
			if len(w.samples) < 3 {
				w.samples = append(w.samples, err.Error())
			}
			if pause.For(ctx, failurePause) != nil {
				return
			}
		}
	}
}

// nextDue waits for the time of the next body. In a closed loop that is now, and
// the zero time is returned.
func (w *loadWorker) nextDue(ctx context.Context, end time.Time) (due time.Time, more bool) {
	if w.interval == 0 {
		return time.Time{}, ctx.Err() == nil && time.Now().Before(end)
	}
	// What is still due at the end is reported as unsent: a run that falls
	// behind must not go on for ever.
	if !time.Now().Before(end) {
		return time.Time{}, false
	}
	n := w.taken.Add(1) - 1
	if n >= w.total {
		return time.Time{}, false
	}
	due = w.start.Add(time.Duration(n) * w.interval)
	return due, pause.For(ctx, time.Until(due)) == nil
}
