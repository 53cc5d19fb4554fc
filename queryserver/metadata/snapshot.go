package metadata

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// MaxSnapshotBytes is the most a Snapshot can be as JSON, given MaxProjects and
// MaxKeys: what a reader of one must be ready for.
const MaxSnapshotBytes = 8 << 20

// Snapshot is what collectors need to know, all of one version.
type Snapshot struct {
	// Version changes with every change and tells databases apart. It is opaque.
	Version  string            `json:"version"`
	Keys     []SnapshotKey     `json:"keys"`
	Projects []SnapshotProject `json:"projects"`
}

// SnapshotKey is a key that is valid until it expires, unless its project is archived.
type SnapshotKey struct {
	Hash    string    `json:"hash"` // see HashKey
	Project string    `json:"project"`
	ID      string    `json:"id"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
}

// SnapshotProject is a project without what only people read.
type SnapshotProject struct {
	ID      string `json:"id"`
	TTLDays int    `json:"ttl_days"`
	// Archived projects take no data, whatever the key; their records still expire.
	Archived bool   `json:"archived,omitempty"`
	Limits   Limits `json:"limits"`
}

// Version gives the version of what is stored now.
func (s *Store) Version(ctx context.Context) (string, error) {
	version, err := s.version(ctx, s.db)
	return version, s.explain(err)
}

func (s *Store) version(ctx context.Context, q querier) (string, error) {
	var identity string
	var version int64
	if err := q.QueryRowContext(ctx, "SELECT identity, version FROM metadata_state WHERE id = 1").Scan(&identity, &version); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s-%d", identity, version), nil
}

// Snapshot reads all projects, and the keys that are neither revoked nor expired.
func (s *Store) Snapshot(ctx context.Context) (Snapshot, error) {
	var snapshot Snapshot
	err := s.transact(ctx, s.readOnly(), func(tx *sql.Tx) (err error) {
		if snapshot.Version, err = s.version(ctx, tx); err != nil {
			return err
		}
		projects, err := s.projects(ctx, tx)
		if err != nil {
			return err
		}
		keys, err := s.keys(ctx, tx, "WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?) ORDER BY id", s.now().UnixMilli())
		if err != nil {
			return err
		}
		snapshot.Projects = make([]SnapshotProject, len(projects))
		for i, p := range projects {
			snapshot.Projects[i] = SnapshotProject{ID: p.ID, TTLDays: p.TTLDays, Archived: !p.Archived.IsZero(), Limits: p.Limits}
		}
		snapshot.Keys = make([]SnapshotKey, len(keys))
		for i, k := range keys {
			snapshot.Keys[i] = SnapshotKey{Hash: k.hash, Project: k.Project, ID: k.ID, Expires: k.Expires}
		}
		return nil
	})
	if err != nil {
		return Snapshot{}, s.explain(err)
	}
	return snapshot, nil
}

// readOnly are the options of a transaction that sees one state of the database.
// SQLite's always do.
func (s *Store) readOnly() *sql.TxOptions {
	options := &sql.TxOptions{ReadOnly: true}
	if s.postgres {
		options.Isolation = sql.LevelRepeatableRead
	}
	return options
}
