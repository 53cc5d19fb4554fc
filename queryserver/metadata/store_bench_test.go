package metadata

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func benchmarkBoth(b *testing.B, bench func(b *testing.B, s *Store)) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(kind, func(b *testing.B) {
			dsn := FileDSN(filepath.Join(b.TempDir(), FileName))
			if kind == "postgres" {
				dsn = postgres.Database(b)
			}
			s, err := Open(b.Context(), dsn)
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			}()
			bench(b, s)
		})
	}
}

// BenchmarkVersion is what every query server asks once a second.
func BenchmarkVersion(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		for b.Loop() {
			if _, err := s.Version(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkChange is one change. The test's Postgres does not sync.
func BenchmarkChange(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		for b.Loop() {
			if _, err := s.UpdateProject(b.Context(), "bench", DefaultProject, func(*Project) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSnapshot reads as many keys as there may be.
func BenchmarkSnapshot(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store) {
		err := s.transact(b.Context(), nil, func(tx *sql.Tx) error { return addKeys(b.Context(), s, tx, MaxKeys) })
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			snapshot, err := s.Snapshot(b.Context())
			if err != nil || len(snapshot.Keys) != MaxKeys {
				b.Fatal(len(snapshot.Keys), err)
			}
		}
	})
}

// addKeys inserts keys without the checks that CreateKey makes for each.
func addKeys(ctx context.Context, s *Store, tx *sql.Tx, n int) error {
	for i := range n {
		key, _ := newKey(DefaultProject, fmt.Sprint(i), time.Now(), time.Time{})
		_, err := s.exec(ctx, tx, "INSERT INTO ingest_keys ("+keyColumns+") VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL)",
			key.ID, key.Project, key.hash, key.Prefix, key.Name, key.Created.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}
