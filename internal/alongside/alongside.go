// Package alongside lets a caller far above a storage client have changes of its own
// become durable together with what it stores: the counters of the delivery ledger
// with the offer they count, the id of a batch with the batch. A crash then leaves
// both or neither. What the caller stores reaches the storage through a sending
// queue that knows nothing of it, so the changes travel in the context:
//
//	change := client.Change("minute", 64, func(dst []byte) ([]byte, bool) { … })
//	ctx, changes := alongside.NewContext(ctx, change)
//	err := queue.ConsumeTraces(ctx, traces) // changes.Applied() says whether it stored
//
// The storage client takes the changes into the record of the first batch it is
// given under that context.
package alongside

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/journal"
)

// Client is a storage client whose keys can be changed alongside what other clients
// of the same storage store. The journal_storage extension's clients are.
type Client interface {
	storage.Client
	// Keys lists the keys that have a value, without reading the values.
	Keys() []string
	// Change prepares a change of one key. Value appends the new value, at most
	// maxBytes, to dst, or says false to delete the key. It is called once, when it
	// is certain that the batch is stored, in the order in which batches are; it
	// must neither wait nor use a client.
	Change(key string, maxBytes int, value func(dst []byte) ([]byte, bool)) Change
}

// Change is made by a Client.
type Change = journal.Also

// Changes are those of one context.
type Changes struct {
	mu      sync.Mutex
	list    []Change
	applied bool
}

type contextKey struct{}

// NewContext returns a context with changes, those that ctx has already included,
// and what became of them.
func NewContext(ctx context.Context, list ...Change) (context.Context, *Changes) {
	if had := FromContext(ctx); had != nil {
		had.mu.Lock()
		if !had.applied {
			had.list = append(had.list, list...)
			had.mu.Unlock()
			return ctx, had
		}
		had.mu.Unlock()
	}
	c := &Changes{list: list}
	return context.WithValue(ctx, contextKey{}, c), c
}

// FromContext returns the changes of a context, nil if it has none.
func FromContext(ctx context.Context) *Changes {
	c, _ := ctx.Value(contextKey{}).(*Changes)
	return c
}

// Applied says whether the changes were stored, as durably as the batch they went
// with.
func (c *Changes) Applied() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.applied
}

// Apply is for storage clients: it calls fn with the changes unless they were
// applied, and takes them as applied when fn gives nil.
func (c *Changes) Apply(fn func([]Change) error) error {
	if c == nil {
		return fn(nil)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.applied {
		return fn(nil)
	}
	if err := fn(c.list); err != nil {
		return err
	}
	c.applied = true
	return nil
}
