package admissionextension

import "sync/atomic"

// budget bounds the bytes of all requests in progress.
type budget struct {
	max  int64
	used atomic.Int64
}

// acquire takes n bytes, or nothing if they are not there.
func (b *budget) acquire(n int64) bool {
	if b.used.Add(n) > b.max {
		b.used.Add(-n)
		return false
	}
	return true
}

func (b *budget) release(n int64) { b.used.Add(-n) }
