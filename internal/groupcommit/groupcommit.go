// Package groupcommit lets a caller far above a storage client wait for the sync
// that covers what it stored. A persistent queue stores under its lock; a storage
// client that synced there would make every producer wait for every other's sync.
// So the client appends, leaves what to wait for in the ticket that came with the
// context, and whoever put it there waits after the offer returned:
//
//	ctx, ticket := groupcommit.WithTicket(ctx)
//	if err := next.ConsumeTraces(ctx, traces); err != nil {
//		return err
//	}
//	return ticket.Wait(ctx)
package groupcommit

import (
	"context"
	"sync"
)

// Waiter waits until everything up to a sequence number is durable.
type Waiter interface {
	Wait(ctx context.Context, seq uint64) error
}

type key struct{}

// Ticket collects what one caller has to wait for. Its methods may be called
// concurrently.
type Ticket struct {
	mu    sync.Mutex
	waits map[Waiter]uint64
}

// WithTicket returns a context that tells storage clients not to wait, and the
// ticket to wait on instead.
func WithTicket(ctx context.Context) (context.Context, *Ticket) {
	t := &Ticket{}
	return context.WithValue(ctx, key{}, t), t
}

// FromContext returns the ticket of a context, nil if it has none.
func FromContext(ctx context.Context) *Ticket {
	t, _ := ctx.Value(key{}).(*Ticket)
	return t
}

// Add makes Wait wait until w has everything up to seq on disk.
func (t *Ticket) Add(w Waiter, seq uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waits == nil {
		t.waits = make(map[Waiter]uint64, 1)
	}
	t.waits[w] = max(t.waits[w], seq)
}

// Wait returns when all that was added is durable, at once if nothing was. After
// an error it is not known whether the data is durable.
func (t *Ticket) Wait(ctx context.Context) error {
	t.mu.Lock()
	waits := t.waits
	t.waits = nil
	t.mu.Unlock()
	for w, seq := range waits {
		if err := w.Wait(ctx, seq); err != nil {
			return err
		}
	}
	return nil
}

type reserveKey struct{}

// WithReserve returns a context that tells storage clients that what is stored
// frees room, so that it must not be refused for want of room: they may use what
// they keep back from new data.
func WithReserve(ctx context.Context) context.Context {
	return context.WithValue(ctx, reserveKey{}, true)
}

// UsesReserve says whether the context came from WithReserve.
func UsesReserve(ctx context.Context) bool {
	uses, _ := ctx.Value(reserveKey{}).(bool)
	return uses
}
