// Package batchid carries the id a sender gave to a batch from the receiver
// that read it to the exporter that derives item ids from it.
package batchid

import (
	"context"
	"sync"
)

// Header is the request header with the sender's id of the batch. Sending a
// batch again under the same id must not count its items twice.
const Header = "Trackway-Batch-Id"

// MaxLen is the longest id a receiver accepts, in bytes.
const MaxLen = 128

// MaxAnswer is the longest answer that is remembered with an id, in bytes.
const MaxAnswer = 4096

// Batch is a batch with an id. The receiver makes it before it hands on the batch;
// the exporter remembers the answer with the batch and, when the batch was taken
// before, gives the receiver what was answered then.
type Batch struct {
	ID string
	// Answer is what the sender is told if the batch is taken, at most MaxAnswer
	// bytes; the receiver chooses the form.
	Answer []byte

	mu    sync.Mutex
	first []byte
	known bool
}

// Name gives the id, "" for the nil Batch.
func (b *Batch) Name() string {
	if b == nil {
		return ""
	}
	return b.ID
}

// Repeats is for exporters: it says that the batch was taken before, and what was
// answered then.
func (b *Batch) Repeats(answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first, b.known = answer, true
}

// First gives what was answered when the batch was taken; false if it had not been
// taken before.
func (b *Batch) First() (answer []byte, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.first, b.known
}

type contextKey struct{}

// With returns a context that carries a batch.
func With(ctx context.Context, b *Batch) context.Context {
	return context.WithValue(ctx, contextKey{}, b)
}

// NewContext returns a context that carries a batch of which nobody asks for the
// first answer.
func NewContext(ctx context.Context, id string) context.Context {
	return With(ctx, &Batch{ID: id})
}

// Of returns the batch being delivered, nil when the sender gave no id.
func Of(ctx context.Context) *Batch {
	b, _ := ctx.Value(contextKey{}).(*Batch)
	return b
}

// FromContext returns the id of the batch being delivered, or "" when the
// sender gave none.
func FromContext(ctx context.Context) string {
	return Of(ctx).Name()
}
