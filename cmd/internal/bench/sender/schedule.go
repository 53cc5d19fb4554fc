package sender

import (
	"math"
	"sync/atomic"
	"time"
)

// schedule hands out the times at which the bodies of an open loop are due.
type schedule struct {
	start    time.Time
	interval time.Duration // between bodies; within a burst
	perBurst int64         // bodies of a burst; 0 without bursts
	every    time.Duration // from one burst to the next
	total    int64
	taken    atomic.Int64
}

func newSchedule(s *Spec, start time.Time) *schedule {
	interval := float64(s.Workload.Batch) / s.Rate * float64(time.Second)
	whole := (s.Warmup + s.Duration).Duration()
	d := &schedule{start: start, total: int64(math.Round(float64(whole) / interval))}
	if s.BurstEvery > 0 {
		d.every = s.BurstEvery.Duration()
		d.perBurst = max(1, int64(float64(d.every)/interval))
		interval *= float64(s.BurstLength) / float64(s.BurstEvery)
	}
	d.interval = time.Duration(interval)
	return d
}

// due is the time of body n.
func (d *schedule) due(n int64) time.Time {
	if d.perBurst == 0 {
		return d.start.Add(time.Duration(n) * d.interval)
	}
	burst, place := n/d.perBurst, n%d.perBurst
	return d.start.Add(time.Duration(burst)*d.every + time.Duration(place)*d.interval)
}

// next takes the next due time; more is false when all are taken.
func (d *schedule) next() (due time.Time, more bool) {
	n := d.taken.Add(1) - 1
	if n >= d.total {
		return time.Time{}, false
	}
	return d.due(n), true
}

// left is how many due times nobody took.
func (d *schedule) left() int64 { return max(0, d.total-d.taken.Load()) }
