package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/storelock"
)

// lockName is the lock that migrations take.
const lockName = "migrate"

// releaseTime bounds the release of the lock when the work was cancelled.
const releaseTime = 5 * time.Second

// Apply brings a store to the version of this release. Of several processes that
// call it at once, one does the work while the others wait; ctx bounds the wait.
// Progress, which may be nil, is told of each statement before it is sent.
func Apply(ctx context.Context, query Query, o schema.Options, progress func(Statement)) (done Plan, err error) {
	plan, err := Make(ctx, query, o)
	if err != nil || plan.UpToDate() {
		return plan, err
	}
	lock, err := acquire(ctx, query, o)
	if err != nil {
		return plan, err
	}
	defer func() {
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		err = errors.Join(err, lock.Release(release))
	}()
	// Whoever had the lock before may have done all of it.
	if plan, err = Make(ctx, query, o); err != nil {
		return plan, err
	}
	for _, s := range plan.Statements {
		if err := lock.Check(ctx); err != nil {
			return plan, fmt.Errorf("migrating database %s: %w", plan.Database, err)
		}
		if progress != nil {
			progress(s)
		}
		if _, err := query(ctx, s.SQL); err != nil {
			return plan, fmt.Errorf("migrating database %s, step %s, statement %s: %w", plan.Database, s.Step, s.Name, err)
		}
	}
	return plan, nil
}

// acquire takes the lock, whose table may have to be made first.
func acquire(ctx context.Context, query Query, o schema.Options) (*storelock.Lock, error) {
	stmts, err := schema.LockStatements(o)
	if err != nil {
		return nil, err
	}
	for _, s := range stmts {
		if _, err := query(ctx, s.SQL); err != nil {
			return nil, fmt.Errorf("creating schema, statement %s: %w", s.Name, err)
		}
	}
	return storelock.Acquire(ctx, LockTable(query, o), lockName)
}

// LockTable gives the table of locks of a store whose schema is there.
func LockTable(query Query, o schema.Options) storelock.Table {
	return storelock.Table{Query: storelock.Query(query), Name: schema.LockTable(o), Replicated: o.Cluster != ""}
}
