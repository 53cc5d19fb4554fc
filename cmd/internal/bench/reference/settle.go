package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/internal/pause"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

// settlePoll is how often merges are looked at, settleQuiet how often in a row
// there must be none.
const (
	settlePoll  = 500 * time.Millisecond
	settleQuiet = 6
)

// Settle waits until merges are done, merges each partition into one part where
// that is wanted, and counts. It says false when the Builder's Limit passed first.
func (b *Builder) Settle(ctx context.Context, m *Manifest, optimize bool) (bool, error) {
	start := time.Now()
	late := func() bool { return b.Limit > 0 && time.Since(start) > b.Limit }
	if optimize {
		done, err := b.optimize(ctx, m, late)
		if err != nil || !done {
			return false, err
		}
	}
	for quiet := 0; quiet < settleQuiet; {
		rows, err := clickhouse.Ask[struct{ N int }](ctx, b.Engine, "SELECT count() AS N FROM system.merges")
		if err != nil {
			return false, err
		}
		quiet++
		if len(rows) != 1 || rows[0].N > 0 {
			quiet = 0
		}
		if late() {
			return false, nil
		}
		if err := pause.For(ctx, settlePoll); err != nil {
			return false, err
		}
	}
	if err := b.count(ctx, m); err != nil {
		return false, err
	}
	m.Settled = true
	return true, m.save(b.Dir)
}

// optimize merges partitions, the ones with most parts first.
func (b *Builder) optimize(ctx context.Context, m *Manifest, late func() bool) (bool, error) {
	type partition struct{ Table, ID string }
	partitions, err := clickhouse.Ask[partition](ctx, b.Engine, `SELECT table AS Table, partition_id AS ID FROM system.parts
		WHERE database = {database:String} AND active GROUP BY table, partition_id HAVING count() > 1 ORDER BY count() DESC`)
	if err != nil {
		return false, err
	}
	for _, p := range partitions {
		name := p.Table + " " + p.ID
		if slices.Contains(m.Optimized, name) {
			continue
		}
		if late() {
			return false, nil
		}
		b.Say("reference set: merging %s", name)
		if err := b.Engine.Run(ctx, fmt.Sprintf("OPTIMIZE TABLE %s.%s PARTITION ID '%s' FINAL", b.Engine.Database, p.Table, p.ID)); err != nil {
			return false, err
		}
		m.Optimized = append(m.Optimized, name)
		if err := m.save(b.Dir); err != nil {
			return false, err
		}
	}
	return true, nil
}

// count compares the store with what was inserted.
func (b *Builder) count(ctx context.Context, m *Manifest) error {
	var problem error
	compare := func(what, sql string, want int64) error {
		rows, err := clickhouse.Ask[struct{ N int64 }](ctx, b.Engine, sql)
		if err != nil {
			return err
		}
		if len(rows) != 1 || rows[0].N != want {
			problem = errors.Join(problem, fmt.Errorf("reference set, %s: want %d, got %+v", what, want, rows))
		}
		return nil
	}
	requests := m.Rows + m.SparseRows()
	if got := m.Inserted["requests"]; got != requests {
		problem = fmt.Errorf("reference set: want %d requests inserted, got %d", requests, got)
	}
	for _, table := range []string{"requests", "spans", "events", "journey"} {
		if err := compare("rows of "+table, "SELECT count() AS N FROM "+b.Engine.Database+"."+table, m.Inserted[table]); err != nil {
			return err
		}
	}
	for _, table := range []string{"cnt_m", "cnt_h", "lat_m", "lat_q", "lat_h"} {
		if err := compare("requests in "+table, "SELECT toInt64(sum(cnt)) AS N FROM "+b.Engine.Database+"."+table, requests); err != nil {
			return err
		}
	}
	return problem
}
