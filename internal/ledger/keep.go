package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/alongside"
)

// Row is the state of a project and minute that goes into the table.
type Row struct {
	Project    string
	Minute     int64
	Generation uint64
	Version    uint64
	Counts     Counts
}

const (
	// tickKey carries records that hold nothing but changes of rows.
	tickKey = "tick"
	// changesPerRecord keeps such a record small enough for the smallest segments.
	changesPerRecord = 128
	// settleTime is how long after its end a minute is expected to change. What
	// comes later is a new generation of it.
	settleTime = 2 * time.Minute
)

// Keep writes to the journal what only memory has, and waits until everything that
// was counted before is on disk.
func (b *Book) Keep(ctx context.Context) error {
	b.mu.Lock()
	var dirty []key
	for k, r := range b.rows {
		if r.dirty {
			dirty = append(dirty, k)
		}
	}
	b.mu.Unlock()
	changes := make([]alongside.Change, 0, len(dirty))
	for _, k := range dirty {
		changes = append(changes, b.client.Change(k.String(), maxRowBytes, func(dst []byte) ([]byte, bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			r := b.rows[k]
			if r == nil {
				return nil, false
			}
			r.dirty = false
			return r.append(dst), true
		}))
	}
	return b.record(ctx, changes)
}

// record makes changes durable in records of their own; at least one, so that it
// waits for what others wrote before.
func (b *Book) record(ctx context.Context, changes []alongside.Change) error {
	for {
		n := min(len(changes), changesPerRecord)
		with, _ := alongside.NewContext(ctx, changes[:n]...)
		if err := b.client.Batch(with, storage.SetOperation(tickKey, nil)); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		if changes = changes[n:]; len(changes) == 0 {
			return nil
		}
	}
}

// Unwritten gives the rows of which the table does not have the last version, as
// they are on disk. A crash takes back none of it.
func (b *Book) Unwritten(ctx context.Context) ([]Row, error) {
	b.mu.Lock()
	var rows []Row
	for k, r := range b.rows {
		if r.version != r.written {
			rows = append(rows, Row{Project: k.project, Minute: k.minute, Generation: r.generation, Version: r.version, Counts: r.counts})
		}
	}
	b.mu.Unlock()
	if len(rows) == 0 {
		return nil, nil
	}
	return rows, b.Keep(ctx)
}

// Written says that rows are in the table, and forgets those that are over.
func (b *Book) Written(ctx context.Context, rows []Row) error {
	over := Minute(b.now().Add(-settleTime))
	b.mu.Lock()
	for _, w := range rows {
		if r := b.rows[key{w.Project, w.Minute}]; r != nil && r.generation == w.Generation {
			r.written = max(r.written, w.Version)
		}
	}
	var idle []key
	for k, r := range b.rows {
		if r.written == r.version && k.minute < over {
			idle = append(idle, k)
		}
	}
	b.mu.Unlock()
	if len(idle) == 0 {
		return nil
	}
	changes := make([]alongside.Change, 0, len(idle))
	for _, k := range idle {
		changes = append(changes, b.client.Change(k.String(), maxRowBytes, func(dst []byte) ([]byte, bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			r := b.rows[k]
			if r == nil {
				return nil, false
			}
			if r.written != r.version {
				r.dirty = false
				return r.append(dst), true
			}
			b.forget(k)
			return nil, false
		}))
	}
	return b.record(ctx, changes)
}

func (b *Book) forget(k key) {
	delete(b.rows, k)
	b.bytes -= rowCost + len(k.project)
	if b.latest[k.project] == k.minute {
		delete(b.latest, k.project)
	}
}

// Rows gives the rows in memory, ordered by project and minute.
func (b *Book) Rows() []Row {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows := make([]Row, 0, len(b.rows))
	for _, k := range slices.SortedFunc(maps.Keys(b.rows), compareKeys) {
		r := b.rows[k]
		rows = append(rows, Row{Project: k.project, Minute: k.minute, Generation: r.generation, Version: r.version, Counts: r.counts})
	}
	return rows
}

func compareKeys(a, b key) int {
	if a.project != b.project {
		if a.project < b.project {
			return -1
		}
		return 1
	}
	return int(a.minute - b.minute)
}

// Stats are gauges of a book.
type Stats struct {
	Rows  int64
	Bytes int64
	// Coarsened counts how often a minute had no room for a row of its own.
	Coarsened int64
}

// Stats returns gauges.
func (b *Book) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Rows: int64(len(b.rows)), Bytes: int64(b.bytes), Coarsened: b.coarsened}
}
