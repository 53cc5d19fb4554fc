// Package batchid carries the id a sender gave to a batch from the receiver
// that read it to the exporter that derives item ids from it.
package batchid

import "context"

// Header is the request header with the sender's id of the batch. Sending a
// batch again under the same id must not count its items twice.
const Header = "Trackway-Batch-Id"

// MaxLen is the longest id a receiver accepts, in bytes.
const MaxLen = 128

type contextKey struct{}

// NewContext returns a context that carries id.
func NewContext(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, contextKey{}, id)
}

// FromContext returns the id of the batch being delivered, or "" when the
// sender gave none.
func FromContext(ctx context.Context) string {
	id, _ := ctx.Value(contextKey{}).(string)
	return id
}
