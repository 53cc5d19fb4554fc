package admissionextension

import (
	"context"
	"slices"
	"sync"
)

// budget bounds the bytes of all requests in progress.
type budget struct {
	max int64

	mu      sync.Mutex
	used    int64
	waiting []*waiter // in the order in which they came
}

// waiter is a call that waits for n bytes; granted is closed when it has them.
type waiter struct {
	n       int64
	granted chan struct{}
}

// acquire takes n bytes, or nothing if they are not there.
func (b *budget) acquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.max {
		return false
	}
	b.used += n
	return true
}

// wait takes n bytes as soon as they are there, or nothing when ctx ends before.
func (b *budget) wait(ctx context.Context, n int64) bool {
	b.mu.Lock()
	if len(b.waiting) == 0 && b.used+n <= b.max {
		b.used += n
		b.mu.Unlock()
		return true
	}
	w := &waiter{n: n, granted: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	select {
	case <-w.granted:
		return true
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, w); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.grant() // it may have kept smaller ones waiting
		return false
	}
	return true // granted meanwhile
}

func (b *budget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.grant()
}

// grant gives the first ones that wait what is there.
func (b *budget) grant() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].n <= b.max {
		w := b.waiting[0]
		b.waiting = slices.Delete(b.waiting, 0, 1)
		b.used += w.n
		close(w.granted)
	}
}

// inUse is how many bytes are taken.
func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
