package admissionextension

import "time"

// bucket is a token bucket that may go into debt: a request is let in while
// there is anything in it, and charged when its size is known. So nothing has to
// be refused after it was received, and every byte is paid for.
type bucket struct {
	level float64
	at    int64 // ns since the epoch; 0 before the first use
}

// fill brings the bucket to the time now, at rate tokens a second and at most
// those of burst seconds.
func (b *bucket) fill(now int64, rate, burst float64) {
	capacity := rate * burst
	if b.at == 0 {
		b.level = capacity
	} else if now > b.at {
		b.level += rate * float64(now-b.at) / float64(time.Second)
	}
	// A clock that was set back stops the filling until it is where it was.
	b.at = max(b.at, now)
	b.level = min(b.level, capacity)
}

// wait is how long it takes until there is something in a bucket that was just
// filled; 0 when there is.
func (b *bucket) wait(rate float64) time.Duration {
	if b.level > 0 {
		return 0
	}
	// One token more than the debt, so that waiting this long suffices.
	return time.Duration((1 - b.level) / rate * float64(time.Second))
}
