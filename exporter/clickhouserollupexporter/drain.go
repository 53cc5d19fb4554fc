package clickhouserollupexporter

import (
	"math"
	"sync"
	"time"
)

// drainMemory is how long the past counts in the drain rate.
const drainMemory = 10 * time.Second

// drain measures how fast the queue empties, and from that tells a sender that
// found it full when to come again. Those who were told to wait form a line: it
// grows by the bytes of each and shrinks at the drain rate, so a crowd that was
// refused at one moment does not come back at one moment.
type drain struct {
	limits RetryAfterConfig
	now    func() time.Time

	mu    sync.Mutex
	since time.Time // when measuring began
	last  time.Time
	sum   float64 // bytes a second, of which the older count less; short of the mean at first
	line  float64 // bytes that senders were told to come again with
}

func newDrain(limits RetryAfterConfig) *drain { return &drain{limits: limits, now: time.Now} }

// advance brings rate and line to the present. Callers hold the lock.
func (d *drain) advance() {
	now := d.now()
	elapsed := now.Sub(d.last)
	switch {
	case elapsed > 3*drainMemory:
		// What was so long ago says nothing about how fast it is.
		d.since, d.sum, d.line = now, 0, 0
	case elapsed > 0:
		d.line = max(0, d.line-d.rate()*elapsed.Seconds())
		d.sum *= math.Exp(-elapsed.Seconds() / drainMemory.Seconds())
	default:
		return
	}
	d.last = now
}

// rate is the mean, in bytes a second. Callers hold the lock.
func (d *drain) rate() float64 {
	measured := max(d.last.Sub(d.since), time.Second)
	return d.sum / (1 - math.Exp(-measured.Seconds()/drainMemory.Seconds()))
}

// drained counts bytes that left the queue.
func (d *drain) drained(bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advance()
	d.sum += float64(bytes) / drainMemory.Seconds()
}

// retryAfter is when a sender of that many bytes should come again: in whole
// seconds, rounded up.
func (d *drain) retryAfter(bytes int) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advance()
	rate := d.rate()
	d.line = min(d.line+float64(bytes), rate*d.limits.Max.Seconds()+float64(bytes))
	// While nothing drains, as long as that has been seen to last.
	seconds := math.Ceil(d.last.Sub(d.since).Seconds())
	if rate > 0 {
		seconds = math.Ceil(d.line / rate)
	}
	wait := d.limits.Max
	if seconds < wait.Seconds() {
		wait = time.Duration(seconds) * time.Second
	}
	return max(wait, d.limits.Min)
}
