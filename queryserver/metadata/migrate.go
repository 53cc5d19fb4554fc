package metadata

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// DefaultProject exists from the start: senders without a key write to it.
const DefaultProject = "default"

const (
	// migrationsTable records which migrations have run.
	migrationsTable = "metadata_migrations"
	// migrationLock is the advisory lock of Postgres under which they run.
	migrationLock = 0x7472_6163_6b77_6179
	// Seconds between tries for that lock, and the number of tries.
	migrationLockPeriod, migrationLockTries = 1, 60
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables to the newest version, each migration in a
// transaction of its own, under a lock where several servers start at once.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	dialect := goose.DialectSQLite3
	options := []goose.ProviderOption{goose.WithTableName(migrationsTable), goose.WithDisableGlobalRegistry(true)}
	if s.postgres {
		dialect = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(migrationLockPeriod, migrationLockTries))
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, s.db, files, options...)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the version of its tables: %w", err)
	}
	if version > newest {
		return &kindError{ErrNewer, fmt.Sprintf("metadata store %s: its tables have version %d and this program knows %d: use the newer program that migrated it", s.place, version, newest)}
	}
	if version < newest {
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	return s.bootstrap(ctx)
}

// bootstrap adds the rows that are always there. It writes nothing when they are,
// so that a full disk can be opened and read.
func (s *Store) bootstrap(ctx context.Context) error {
	var there int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM metadata_state").Scan(&there); err != nil || there == 1 {
		return err
	}
	var identity [6]byte
	_, _ = rand.Read(identity[:]) // crypto/rand.Read never fails: it aborts the process instead
	return s.transact(ctx, nil, func(tx *sql.Tx) error {
		// Where another server was faster, this waits for it and then adds nothing.
		result, err := s.exec(ctx, tx, "INSERT INTO metadata_state (id, identity, version) VALUES (1, ?, 1) ON CONFLICT DO NOTHING", hex.EncodeToString(identity[:]))
		if err != nil {
			return err
		}
		if added, err := result.RowsAffected(); err != nil || added == 0 {
			return err
		}
		p := Project{ID: DefaultProject, Name: "Default", Created: s.now(), TTLDays: DefaultTTLDays}
		if err := s.insertProject(ctx, tx, p); err != nil {
			return err
		}
		return s.record(ctx, tx, Change{Version: 1, At: p.Created, Actor: "trackway", Action: "project.create", Project: p.ID})
	})
}
