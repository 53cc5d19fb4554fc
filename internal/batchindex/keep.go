package batchindex

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// singleTime is how long an id may stay a value of its own, so that ids of a sender
// that sends rarely are forgotten in time too.
const singleTime = time.Hour

// Keep puts ids into pages and forgets old ones. It is called every now and then.
func (x *Index) Keep(ctx context.Context) error {
	x.keeping.Lock()
	defer x.keeping.Unlock()
	for {
		more, err := x.makePage(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for {
		more, err := x.forgetPage(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// makePage makes a page of the oldest ids that are in none, if they are many or old.
func (x *Index) makePage(ctx context.Context) (more bool, err error) {
	x.mu.Lock()
	singles := slices.Clone(x.singles[:min(len(x.singles), pageSize)])
	x.next++
	page := x.next | isPage
	x.mu.Unlock()
	if len(singles) == 0 {
		return false, nil
	}
	var value []byte
	var moved []entry
	ops := make([]*storage.Operation, 0, len(singles)+1)
	for _, p := range singles {
		entries, err := x.read(ctx, p)
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			value = e.append(value)
			moved = append(moved, e)
		}
		ops = append(ops, storage.DeleteOperation(p.key()))
	}
	if len(singles) < pageSize && len(moved) > 0 && x.age(moved[0]) < min(singleTime, x.opts.Remember) {
		return false, nil
	}
	ops = append(ops, storage.SetOperation(page.key(), value))
	if err := x.client.Batch(ctx, ops...); err != nil {
		return false, fmt.Errorf("batch ids: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range moved {
		x.known[e.key] = page
	}
	x.pages = append(x.pages, page)
	x.singles = slices.Clone(x.singles[len(singles):])
	return len(singles) == pageSize, nil
}

func (x *Index) age(e entry) time.Duration { return x.opts.Now().Sub(time.Unix(int64(e.time), 0)) }

// forgetPage forgets the oldest page if there are too many ids or all of its are old.
func (x *Index) forgetPage(ctx context.Context) (more bool, err error) {
	x.mu.Lock()
	tooMany := len(x.known) > x.opts.MaxIDs
	var page place
	if len(x.pages) > 0 {
		page = x.pages[0]
	}
	x.mu.Unlock()
	if page == 0 {
		return false, nil
	}
	entries, err := x.read(ctx, page)
	if err != nil {
		return false, err
	}
	if n := len(entries); !tooMany && n > 0 && x.age(entries[n-1]) < x.opts.Remember {
		return false, nil
	}
	if err := x.client.Delete(ctx, page.key()); err != nil {
		return false, fmt.Errorf("batch ids: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range entries {
		if x.known[e.key] == page {
			delete(x.known, e.key)
		}
	}
	x.pages = slices.Delete(x.pages, 0, 1)
	return true, nil
}
