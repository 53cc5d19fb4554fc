package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/storelock"
)

// lockName is the lock under which partitions are dropped.
const lockName = "budget"

// releaseTime bounds the release of the lock when the work was cancelled.
const releaseTime = 5 * time.Second

// Apply drops what Make says, and records it in the table dropped_partitions.
// Dropped, which may be nil, is told of each partition that is gone. When another
// process is at it, Apply does nothing and gives storelock.ErrHeld.
func Apply(ctx context.Context, query Query, o schema.Options, limit Limit, dropped func(Drop)) (done Plan, err error) {
	p, err := Make(ctx, query, o, limit)
	if err != nil || len(p.Drops) == 0 {
		return p, err // the common case takes no lock
	}
	table := storelock.Table{Query: storelock.Query(query), Name: schema.LockTable(o), Replicated: o.Cluster != ""}
	lock, err := storelock.TryAcquire(ctx, table, lockName)
	if err != nil {
		return Plan{Limit: p.Limit, Used: p.Used}, fmt.Errorf("disk budget: %w", err)
	}
	defer func() {
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		err = errors.Join(err, lock.Release(release))
	}()
	// Somebody else may have dropped partitions in the meantime.
	if p, err = Make(ctx, query, o, limit); err != nil {
		return p, err
	}
	for i, d := range p.Drops {
		if err := lock.Check(ctx); err != nil {
			return p.upTo(i), fmt.Errorf("disk budget: %w", err)
		}
		if _, err := query(ctx, d.SQL); err != nil {
			return p.upTo(i), fmt.Errorf("disk budget: dropping partition %s of %s: %w", d.Partition, d.Table, err)
		}
		if dropped != nil {
			dropped(d)
		}
		if _, err := query(ctx, recordStatement(o, p, d)); err != nil {
			return p.upTo(i + 1), fmt.Errorf("disk budget: recording that partition %s of %s was dropped: %w", d.Partition, d.Table, err)
		}
	}
	return p, nil
}

// upTo gives the plan with its first n drops, those that were done.
func (p Plan) upTo(n int) Plan {
	p.Drops = p.Drops[:n]
	return p
}

func recordStatement(o schema.Options, p Plan, d Drop) string {
	return fmt.Sprintf("INSERT INTO %s.dropped_partitions (table, partition, last_day, rows, bytes, budget, used) "+
		"SETTINGS async_insert = 0 VALUES ('%s', '%s', '%s', %d, %d, %d, %d)",
		schema.Database(o), d.Table, d.Partition, d.LastDay.Format(time.DateOnly), d.Rows, d.Bytes, p.Limit, p.Used)
}
