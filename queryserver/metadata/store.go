package metadata

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

const (
	// busyTimeout is how long a SQLite connection waits for another process's
	// transaction; ours last milliseconds.
	busyTimeout = 5 * time.Second
	// connectTimeout bounds a connection to Postgres where the DSN has no bound.
	connectTimeout = 5 * time.Second
	// maxConnections is plenty for statements of a millisecond.
	maxConnections = 4
)

// Store is an open metadata database. Its methods may be used concurrently.
type Store struct {
	db       *sql.DB
	place    string // for errors: the file, or the server without the password
	postgres bool
	now      func() time.Time
}

// Open opens the database that a DSN names (see CheckDSN), creates or migrates
// its tables, and makes sure that the default project is there. It may be called
// by several processes at once.
func Open(ctx context.Context, dsn string) (*Store, error) {
	d, err := parseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("metadata DSN: %w", err)
	}
	s := &Store{place: d.String(), postgres: d.postgres != nil, now: time.Now}
	if s.postgres {
		err = s.openPostgres(ctx, d)
	} else {
		err = s.openSQLite(ctx, d.file)
	}
	if err != nil {
		if s.db != nil {
			err = errors.Join(err, s.db.Close())
		}
		return nil, err
	}
	return s, nil
}

// Close waits for running statements and closes the database.
func (s *Store) Close() error { return s.explain(s.db.Close()) }

func (s *Store) openPostgres(ctx context.Context, d dsn) error {
	if d.postgres.ConnectTimeout == 0 {
		d.postgres.ConnectTimeout = connectTimeout
	}
	if d.postgres.RuntimeParams["application_name"] == "" {
		d.postgres.RuntimeParams["application_name"] = "trackway"
	}
	s.db = stdlib.OpenDB(*d.postgres)
	s.db.SetMaxOpenConns(maxConnections)
	s.db.SetConnMaxIdleTime(time.Minute)
	return s.explain(s.migrate(ctx))
}

// openSQLite opens under a lock file: two processes that turn a new file into a
// database in WAL mode, or migrate it, at the same time would disturb each other.
func (s *Store) openSQLite(ctx context.Context, file string) error {
	unlock, err := lockFile(ctx, file+lockSuffix)
	if err != nil {
		return s.explain(err)
	}
	defer unlock()
	// Created here for its mode; SQLite gives the same to the files beside it.
	created, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return s.explain(err)
	}
	if err := created.Close(); err != nil {
		return s.explain(err)
	}
	if s.db, err = sql.Open("sqlite", sqliteURI(file)); err != nil {
		return s.explain(err)
	}
	s.db.SetMaxOpenConns(maxConnections)
	return s.explain(s.migrate(ctx))
}
