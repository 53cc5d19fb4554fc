package journalstorageextension

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/groupcommit"
	"github.com/trackwayhq/trackway/internal/journal"
)

// client is the storage of one component. What Get returns must not be written to.
type client struct {
	journal *journal.Journal
	space   *journal.Space
	sync    journal.SyncMode

	mu sync.Mutex
	// recovering is true until a queue has shown by dispatching that it has put
	// back what was in flight. While it is, its deletes are held back.
	recovering bool
}

var (
	_ storage.Client   = (*client)(nil)
	_ alongside.Client = (*client)(nil)
	_ storage.Walker   = (*client)(nil)
)

func newClient(j *journal.Journal, space *journal.Space, sync journal.SyncMode, kind component.Kind) *client {
	return &client{journal: j, space: space, sync: sync, recovering: kind == component.KindExporter}
}

// Get returns the value of a key, nil if there is none.
func (c *client) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.GetOperation(key)
	err := c.Batch(ctx, op)
	return op.Value, err
}

// Set stores a value, durably unless the context has a ticket.
func (c *client) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, storage.SetOperation(key, value))
}

// Delete deletes a key; it is durable a moment later.
func (c *client) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, storage.DeleteOperation(key))
}

// Batch does all operations as a whole or none. See the package's documentation
// for when they are durable.
func (c *client) Batch(ctx context.Context, ops ...*storage.Operation) error {
	converted, shape, err := convert(ops)
	if err != nil {
		return err
	}
	ticket := groupcommit.FromContext(ctx)
	durability := c.durability(shape, ticket != nil)
	if durability == journal.Now && groupcommit.UsesReserve(ctx) {
		durability = journal.NowFromReserve
	}
	seq, err := c.apply(ctx, shape, converted, durability)
	if err != nil {
		return clientError(err)
	}
	for i := range converted {
		if converted[i].Kind == journal.Get {
			ops[i].Value = converted[i].Value
		}
	}
	switch {
	case shape == (batchShape{gets: shape.gets}):
		return nil
	case ticket != nil:
		ticket.Add(c.journal, seq)
		return nil
	case durability == journal.Now, durability == journal.NowFromReserve, durability == journal.Lazy && c.sync == journal.SyncEach:
		return clientError(c.journal.Wait(ctx, seq))
	}
	return nil
}

// apply appends the operations, with the changes that came with the context unless
// the operations only read.
func (c *client) apply(ctx context.Context, shape batchShape, ops []journal.Op, d journal.Durability) (seq uint64, err error) {
	if shape == (batchShape{gets: shape.gets}) {
		return c.space.Apply(ops, d)
	}
	err = alongside.FromContext(ctx).Apply(func(also []alongside.Change) error {
		seq, err = c.space.ApplyWith(ops, d, also)
		return err
	})
	return seq, err
}

// Keys lists the keys that have a value.
func (c *client) Keys() []string { return c.space.Keys() }

// Change prepares a change of one of the client's keys for the record of another
// client's batch.
func (c *client) Change(key string, maxBytes int, value func(dst []byte) ([]byte, bool)) alongside.Change {
	return alongside.Change{Space: c.space, Key: key, MaxBytes: maxBytes, Value: value}
}

// batchShape says which kinds of operations a batch has.
type batchShape struct{ gets, sets, deletes bool }

func convert(ops []*storage.Operation) ([]journal.Op, batchShape, error) {
	var shape batchShape
	converted := make([]journal.Op, len(ops))
	for i, op := range ops {
		converted[i] = journal.Op{Key: op.Key}
		switch op.Type {
		case storage.Get:
			converted[i].Kind, shape.gets = journal.Get, true
		case storage.Set:
			converted[i].Kind, converted[i].Value, shape.sets = journal.Set, op.Value, true
		case storage.Delete:
			converted[i].Kind, shape.deletes = journal.Delete, true
		default:
			return nil, shape, fmt.Errorf("journal_storage: operation type %d of key %q: want get, set or delete", op.Type, op.Key)
		}
	}
	return converted, shape, nil
}

// durability decides when a batch is durable, and notices the end of a recovery.
func (c *client) durability(shape batchShape, ticket bool) journal.Durability {
	c.mu.Lock()
	defer c.mu.Unlock()
	onlySets := shape == (batchShape{sets: true})
	onlyGets := shape == (batchShape{gets: true})
	onlyDeletes := shape == (batchShape{deletes: true})
	if c.recovering && !onlySets && !onlyGets && !onlyDeletes {
		c.recovering = false
		c.space.Release()
	}
	switch {
	case onlySets, ticket:
		return journal.Now
	case onlyDeletes && c.recovering:
		return journal.AfterReplacement
	}
	return journal.Lazy
}

// Walk calls fn for each key and value, and applies what it returned as one batch.
// Keys set meanwhile may be missed.
func (c *client) Walk(ctx context.Context, fn storage.WalkFunc) error {
	var ops []*storage.Operation
	for _, key := range c.space.Keys() {
		value, err := c.Get(ctx, key)
		if err != nil {
			return err
		}
		if value == nil {
			continue // deleted meanwhile
		}
		more, err := fn(key, value)
		if err != nil && !errors.Is(err, storage.SkipAll) {
			return err
		}
		ops = append(ops, more...)
		if err != nil {
			break
		}
	}
	if len(ops) == 0 {
		return nil
	}
	return c.Batch(ctx, ops...)
}

// Close makes everything durable and gives the name free.
func (c *client) Close(ctx context.Context) error {
	err := c.journal.Wait(ctx, c.space.Close())
	if errors.Is(err, journal.ErrClosed) {
		return nil // closing the journal did it
	}
	return clientError(err)
}

// clientError adds what the collector knows errors by.
func clientError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrFull):
		return fmt.Errorf("journal_storage: %w: %w", storage.ErrStorageFull, err)
	}
	return fmt.Errorf("journal_storage: %w", err)
}
