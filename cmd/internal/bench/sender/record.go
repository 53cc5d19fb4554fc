package sender

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// maxSamples is how many different failures a result describes.
const maxSamples = 5

// recorder collects what the connections of a run saw.
type recorder struct {
	start     time.Time
	measuring time.Time // when the warm-up is over

	mu       sync.Mutex
	all      Counts
	measured Counts
	latency  *hdrhistogram.Histogram
	response *hdrhistogram.Histogram
	retries  *hdrhistogram.Histogram
	statuses map[int]int64
	samples  []string

	interval        Interval
	intervalLatency *hdrhistogram.Histogram
}

func newRecorder(start time.Time, warmup time.Duration) *recorder {
	return &recorder{
		start: start, measuring: start.Add(warmup), statuses: map[int]int64{},
		latency: NewHistogram(), response: NewHistogram(), retries: NewHistogram(), intervalLatency: NewHistogram(),
	}
}

// exchange is one body on its way.
type exchange struct {
	body      *workload.Body
	due, sent time.Time
	answered  time.Time
	outcome   outcome
	status    int
	rejected  int64 // items
	// retryAfter is what a refusal asked for.
	retryAfter time.Duration
	err        error
}

type outcome int

const (
	accepted outcome = iota
	refused429
	refused503
	failed
)

func (r *recorder) add(x *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var c Counts
	c.sent(x.body)
	if x.retryAfter > 0 {
		Record(r.retries, x.retryAfter.Microseconds())
	}
	switch x.outcome {
	case accepted:
		c.accepted(x.body, x.rejected)
		r.interval.Accepted += c.ItemsAccepted
		Record(r.intervalLatency, x.answered.Sub(x.due).Microseconds())
	case refused429:
		c.Refused429++
		r.interval.Refused++
	case refused503:
		c.Refused503++
		c.ItemsUnknown += int64(x.body.Items())
		r.interval.Refused++
	case failed:
		c.Failed++
		// A status below 500 says that nothing was taken.
		if x.status == 0 || x.status >= 500 {
			c.ItemsUnknown += int64(x.body.Items())
		}
		r.interval.Failed++
		if x.status != 0 {
			r.statuses[x.status]++
		}
		if len(r.samples) < maxSamples {
			r.samples = append(r.samples, x.err.Error())
		}
	}
	r.all.add(&c)
	if x.due.Before(r.measuring) {
		return
	}
	r.measured.add(&c)
	if x.outcome == accepted {
		Record(r.latency, x.answered.Sub(x.due).Microseconds())
		Record(r.response, x.answered.Sub(x.sent).Microseconds())
	}
}

// unsent counts bodies that were due and never sent.
func (r *recorder) unsent(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Unsent += n
	r.measured.Unsent += n
}

// endInterval gives what happened since the last call.
func (r *recorder) endInterval(now time.Time) *Interval {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.interval
	l := NewLatency(r.intervalLatency)
	i.At, i.P50, i.P99, i.Max = now.Sub(r.start).Seconds(), l.P50, l.P99, l.Max
	r.interval = Interval{}
	r.intervalLatency.Reset()
	return &i
}

func (r *recorder) result(elapsed time.Duration) *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Result{
		All: r.all, Measured: r.measured, Seconds: elapsed.Seconds(),
		Latency: NewLatency(r.latency), Response: NewLatency(r.response), RetryAfter: NewLatency(r.retries),
		Statuses: r.statuses, Samples: r.samples,
	}
}
