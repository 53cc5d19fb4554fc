package metadata

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/internal/postgrestest"
)

// postgres is the server that all tests of the package share.
var postgres *postgrestest.Server

func TestMain(m *testing.M) {
	var err error
	if postgres, err = postgrestest.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// The server, which runs already, is no leak of a test.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(), goleak.Cleanup(func(code int) {
		if err := postgres.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}

// onBoth runs a test on an empty database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, FileDSN(filepath.Join(t.TempDir(), FileName))) })
	t.Run("postgres", func(t *testing.T) { test(t, postgres.Database(t)) })
}

func open(t *testing.T, dsn string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// clock sets the store's time by hand.
func clock(s *Store) *time.Time {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	return &now
}

func TestFreshStore(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		projects, err := s.Projects(t.Context())
		require.NoError(t, err)
		require.Len(t, projects, 1)
		assert.Equal(t, DefaultProject, projects[0].ID)
		assert.Equal(t, DefaultTTLDays, projects[0].TTLDays)
		assert.Zero(t, projects[0].Limits)
		before, err := s.Version(t.Context())
		require.NoError(t, err)

		again := open(t, dsn)
		after, err := again.Version(t.Context())
		require.NoError(t, err)
		assert.Equal(t, before, after, "opening changes nothing")
	})
}

func TestVersionsOfTwoDatabasesDiffer(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		other := FileDSN(filepath.Join(t.TempDir(), "other.db"))
		first, err := open(t, dsn).Version(t.Context())
		require.NoError(t, err)
		second, err := open(t, other).Version(t.Context())
		require.NoError(t, err)
		assert.NotEqual(t, first, second)
	})
}

func TestManyOpenAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		stores, errs := make([]*Store, 6), make([]error, 6)
		var started sync.WaitGroup
		for i := range stores {
			started.Go(func() { stores[i], errs[i] = Open(t.Context(), dsn) })
		}
		started.Wait()
		for i, s := range stores {
			require.NoError(t, errs[i])
			projects, err := s.Projects(t.Context())
			assert.NoError(t, err)
			assert.Len(t, projects, 1)
			assert.NoError(t, s.Close())
		}
	})
}

// TestChangesFromSeveralServers has two stores on one database change it at the
// same time: every change gets a version of its own, and none is lost.
func TestChangesFromSeveralServers(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		const each = 20
		stores := []*Store{open(t, dsn), open(t, dsn)}
		var running sync.WaitGroup
		for n, s := range stores {
			for w := range 2 {
				running.Go(func() {
					for i := range each {
						_, err := s.CreateProject(t.Context(), "test", Project{ID: fmt.Sprintf("p-%d-%d-%d", n, w, i)})
						assert.NoError(t, err)
					}
				})
			}
		}
		running.Wait()
		changes, err := stores[0].Changes(t.Context(), "", 1000)
		require.NoError(t, err)
		require.Len(t, changes, 1+4*each)
		for i, c := range changes {
			assert.EqualValues(t, len(changes)-i, c.Version)
		}
		projects, err := stores[1].Projects(t.Context())
		require.NoError(t, err)
		assert.Len(t, projects, 1+4*each)
	})
}

func TestOneOfTwoGetsTheID(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		stores := []*Store{open(t, dsn), open(t, dsn)}
		errs := make([]error, len(stores))
		var running sync.WaitGroup
		for i, s := range stores {
			running.Go(func() { _, errs[i] = s.CreateProject(t.Context(), "test", Project{ID: "shop"}) })
		}
		running.Wait()
		if errs[0] == nil {
			errs[0], errs[1] = errs[1], errs[0]
		}
		require.NoError(t, errs[1])
		require.ErrorIs(t, errs[0], ErrConflict)
	})
}

func TestTablesOfANewerProgram(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		_, err := s.db.ExecContext(t.Context(), s.rebind("INSERT INTO "+migrationsTable+" (version_id, is_applied) VALUES (?, ?)"), 99, true)
		require.NoError(t, err)
		_, err = Open(t.Context(), dsn)
		require.ErrorIs(t, err, ErrNewer)
		assert.ErrorContains(t, err, "version 99")
	})
}

func TestFileIsForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, FileDSN(filepath.Join(dir, FileName)))
	_, err := s.CreateProject(t.Context(), "test", Project{ID: "shop"})
	require.NoError(t, err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(entries), 3)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), e.Name())
	}
}

func TestSettingsOfSQLite(t *testing.T) {
	// A name that a careless URI would cut.
	s := open(t, FileDSN(filepath.Join(t.TempDir(), "100% me?ta#.db")))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got string
		require.NoError(t, s.db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		assert.Equal(t, want, got, pragma)
	}
	assert.FileExists(t, s.place)
}

func TestDSN(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "got nothing",
		"meta.db":                            "want sqlite:FILE or postgres://",
		"mysql://u:secret@h/d":               `starts with "mysql:"`,
		"sqlite:":                            "want a file",
		"sqlite::memory:":                    "want a file",
		"postgres://u:secret@h:notaport/d":   "want sqlite:FILE or postgres://",
		"postgres://u:secret@h/d?sslmode=xx": "want sqlite:FILE or postgres://",
		"postgres-is-my-secret-password":     "want sqlite:FILE or postgres://",
	} {
		err := CheckDSN(in)
		require.ErrorContains(t, err, want, in)
		assert.NotContains(t, err.Error(), "secret", in)
	}
	assert.Equal(t, "/data/meta.db", DescribeDSN("sqlite:/data/meta.db"))
	assert.Equal(t, "/data/meta.db", DescribeDSN("sqlite:///data/meta.db"))
	assert.Equal(t, "Postgres database d on h:5432", DescribeDSN("postgres://u:secret@h/d"))
	assert.Equal(t, "Postgres database d on h:5433", DescribeDSN("postgresql://u:secret@h:5433/d?sslmode=disable"))
}

func TestWhatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.db")
	require.NoError(t, os.WriteFile(notes, []byte("these are notes and no database, and long enough to be taken for a header of one, if one were not careful"), 0o600))
	_, err := Open(t.Context(), FileDSN(notes))
	require.ErrorContains(t, err, "damaged or no SQLite database")
	require.ErrorContains(t, err, notes)

	_, err = Open(t.Context(), FileDSN(filepath.Join(dir, "missing", FileName)))
	require.ErrorIs(t, err, os.ErrNotExist)

	_, err = Open(t.Context(), "postgres://trackway:secret@127.0.0.1:9/nothing?sslmode=disable")
	require.ErrorContains(t, err, "Postgres database nothing on 127.0.0.1:9")
	assert.NotContains(t, err.Error(), "secret")
}
