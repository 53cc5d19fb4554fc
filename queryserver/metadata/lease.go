package metadata

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Lease is the right to do something that one of several query servers does at a
// time, such as evaluating alerts.
type Lease struct {
	// Term grows whenever the lease passes to another holder, or comes back after
	// it ran out: what is written with an older term is from a server that was
	// believed dead.
	Term int64
	// Until is when it runs out by the clock of this process, counted from before
	// the database was asked: it never ends later here than there.
	Until time.Time
}

// AcquireLease takes a lease, or extends it where holder has it already. held is
// false while somebody else has it. The database's clock decides, so the
// servers' clocks may differ. An error says nothing about who has it: a holder
// goes on until its last Until at most.
func (s *Store) AcquireLease(ctx context.Context, name, holder string, lifetime time.Duration) (l Lease, held bool, err error) {
	if name == "" || holder == "" || lifetime < time.Millisecond {
		return Lease{}, false, invalid("lease: want a name, a holder and at least 1ms, got %q, %q and %s", name, holder, lifetime)
	}
	l.Until = time.Now().Add(lifetime)
	now := s.databaseTime()
	err = s.db.QueryRowContext(ctx, s.rebind(`INSERT INTO leases (name, holder, term, until_ms) VALUES (?, ?, 1, `+now+` + ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms,
			term = leases.term + CASE WHEN leases.holder = excluded.holder AND leases.until_ms > `+now+` THEN 0 ELSE 1 END
		WHERE leases.holder = excluded.holder OR leases.until_ms <= `+now+`
		RETURNING term`), name, holder, lifetime.Milliseconds()).Scan(&l.Term)
	if errors.Is(err, sql.ErrNoRows) {
		return Lease{}, false, nil
	}
	if err != nil {
		return Lease{}, false, s.explain(err)
	}
	return l, true, nil
}

// ReleaseLease ends a lease before its time, so that another server need not wait.
// Without the lease it does nothing.
func (s *Store) ReleaseLease(ctx context.Context, name, holder string) error {
	_, err := s.db.ExecContext(ctx, s.rebind("UPDATE leases SET until_ms = 0 WHERE name = ? AND holder = ?"), name, holder)
	return s.explain(err)
}

// databaseTime is an expression of the database's time in Unix milliseconds.
func (s *Store) databaseTime() string {
	if s.postgres {
		return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}
