package clickhouserollupexporter

import (
	"context"
	"sync"

	"github.com/trackwayhq/trackway/internal/columns"
)

// coalescer makes one queue item of small deliveries that arrive while an earlier
// one is on its way to the disk. A delivery that finds nothing under way goes at
// once, so gathering never adds to its latency: what waits would have waited for
// the same disk.
type coalescer struct {
	limits CoalesceConfig
	// accept makes a batch durable and returns when it is.
	accept func(ctx context.Context, b *columns.Batch, deliveries []*delivery) error

	mu        sync.Mutex
	running   int // groups that are on their way
	gathering *group
}

// group is deliveries that become one queue item.
type group struct {
	batches []*columns.Batch
	from    []*delivery
	items   int
	bytes   int
	start   chan struct{} // closed when the group may go
	done    chan struct{} // closed when err is what became of it
	err     error
}

// add makes a delivery durable, alone or in company, and returns when it is. When
// ctx ends first, the delivery may become durable all the same.
func (c *coalescer) add(ctx context.Context, b *columns.Batch, from *delivery) error {
	size, items := b.Size(), b.Items()
	if size > c.limits.MaxBytes/2 || items > c.limits.MaxItems/2 {
		return c.accept(ctx, b, []*delivery{from})
	}
	c.mu.Lock()
	g := c.gathering
	if g != nil {
		g.batches, g.from = append(g.batches, b), append(g.from, from)
		g.items += items
		g.bytes += size
		if g.bytes > c.limits.MaxBytes/2 || g.items > c.limits.MaxItems/2 {
			c.release()
		}
		c.mu.Unlock()
		select {
		case <-g.done:
			return g.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g = &group{batches: []*columns.Batch{b}, from: []*delivery{from}, items: items, bytes: size, start: make(chan struct{}), done: make(chan struct{})}
	c.gathering = g
	if c.running == 0 {
		c.release()
	}
	c.mu.Unlock()
	// The first delivery of a group takes it to the queue, and does so for the
	// others even if its own sender has gone.
	<-g.start
	c.run(context.WithoutCancel(ctx), g)
	return g.err
}

// release lets the gathering group go. Callers hold the lock.
func (c *coalescer) release() {
	c.running++
	close(c.gathering.start)
	c.gathering = nil
}

func (c *coalescer) run(ctx context.Context, g *group) {
	defer func() {
		close(g.done)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
		if c.gathering != nil {
			c.release()
		}
	}()
	all := g.batches[0]
	for _, b := range g.batches[1:] {
		columns.Merge(all, b)
	}
	g.err = c.accept(ctx, all, g.from)
}
