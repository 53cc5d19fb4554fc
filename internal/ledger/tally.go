package ledger

import (
	"context"
	"sync"
)

// Tally is what a sender's delivery came to. The nil Tally counts nothing.
type Tally struct {
	mu      sync.Mutex
	items   int
	offered int
	dropped [len(Reasons)]int
}

type tallyKey struct{}

// newTally returns a context with the tally of so many items.
func newTally(ctx context.Context, items int) (context.Context, *Tally) {
	t := &Tally{items: items}
	return context.WithValue(ctx, tallyKey{}, t), t
}

// FromContext returns the tally of the delivery in hand, nil if there is none.
func FromContext(ctx context.Context) *Tally {
	t, _ := ctx.Value(tallyKey{}).(*Tally)
	return t
}

// Offered says that n items of the delivery are in the queue, and counted with it.
func (t *Tally) Offered(n int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.offered += n
	t.mu.Unlock()
}

// Dropped says that n items were left out for a reason, one of Reasons.
func (t *Tally) Dropped(reason string, n int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.dropped[reasonIndex(reason)] += n
	t.mu.Unlock()
}

// settle gives what is still to be counted: the drops, and the items that were
// neither offered nor dropped. A delivery that was refused as a whole has no drops:
// its sender sends it again.
func (t *Tally) settle(err error) Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	var c Counts
	rest := t.items - t.offered
	if err != nil {
		c.Rejected = int64(max(rest, 0))
		c.Received = c.Rejected
		return c
	}
	for i, n := range t.dropped {
		c.Dropped[i] = int64(n)
		c.Received += int64(n)
		rest -= n
	}
	// A processor that makes items of its own leaves a negative rest; it is counted
	// as such, so that the sides stay equal.
	c.Removed = int64(rest)
	c.Received += int64(rest)
	return c
}

type rejectedKey struct{}

// WithRejected returns a context that says how many items of the sender's delivery
// the receiver refused on its own, for a receiver that does not know whose they are.
func WithRejected(ctx context.Context, items int) context.Context {
	if items == 0 {
		return ctx
	}
	n := &rejected{n: items}
	return context.WithValue(ctx, rejectedKey{}, n)
}

// rejected is counted by the first that takes it: one body may go through the
// pipelines of traces and of logs.
type rejected struct {
	mu sync.Mutex
	n  int
}

func takeRejected(ctx context.Context) int {
	r, _ := ctx.Value(rejectedKey{}).(*rejected)
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.n
	r.n = 0
	return n
}
