package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// SyncInterval is how often SyncMerged must be called while the engine runs. It
	// is far below old_parts_lifetime of the engine's configuration, which is how
	// long the parts that a merged one replaces stay.
	SyncInterval = 5 * time.Second
	// writtenBack is how old a part must be when the store is opened to be on disk
	// without our doing: the kernel writes what nobody syncs within a minute.
	writtenBack = time.Hour
	// indexPrefix begins the names of the files of skipping indexes.
	indexPrefix = "skp_idx_"
)

// SyncMerged syncs the files that the engine leaves out when it syncs a merged part
// (min_rows_to_fsync_after_merge): those of text indexes. After a power failure they
// would be empty, the engine would set the part aside as broken, and the parts it
// was merged from would be gone.
//
// It looks at parts that it has not seen before, so a call costs the listing of
// the tables' directories. Open calls it before the engine can remove anything,
// Close for what was merged last. Not safe for concurrent use.
func (s *Store) SyncMerged() error {
	tables, err := findTables(s.EnginePath())
	if err != nil {
		return err
	}
	isFirst := s.synced == nil
	now := make(map[string]bool, len(s.synced))
	for _, table := range tables {
		entries, err := os.ReadDir(table)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // dropped meanwhile
			return fmt.Errorf("sync merged parts: %w", err)
		}
		for _, e := range entries {
			p, err := parsePart(e.Name())
			if err != nil || !e.IsDir() || strings.HasPrefix(e.Name(), "tmp") || p.isInserted() {
				continue
			}
			dir := filepath.Join(table, e.Name())
			isKnown := s.synced[dir] || isFirst && isOlder(e, writtenBack)
			if !isKnown {
				if err := syncIndexes(dir); err != nil {
					return fmt.Errorf("sync merged part %s: %w", dir, err)
				}
			}
			now[dir] = true
		}
	}
	s.synced = now
	return nil
}

func isOlder(e os.DirEntry, age time.Duration) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > age
}

// syncIndexes syncs the index files of a part, unless it is removed meanwhile.
func syncIndexes(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), indexPrefix) {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
