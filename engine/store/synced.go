package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SyncLogs gives the deduplication logs of all tables the file attribute S
// (chattr +S), by which the file system syncs each append before it returns. It
// must be called when tables may have been created, before anything is inserted.
//
// The engine itself appends to a log without a sync, and then commits the part
// with one: after a power failure the part can be there without its record, and
// the same unit, sent again, would be stored again. An append that is synced is on
// disk before the part is, and check mends the opposite.
//
// A file that is created later inherits the attribute from its directory (ext4,
// XFS). The error says that the file system has no such attribute; exactness then
// holds for killed processes, not for lost power.
func (s *Store) SyncLogs() error {
	tables, err := findTables(s.EnginePath())
	if err != nil {
		return err
	}
	for _, table := range tables {
		dir := filepath.Join(table, dedupDir)
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped meanwhile
		}
		if err != nil {
			return fmt.Errorf("sync the deduplication log of a table: %w", err)
		}
		paths := []string{dir}
		for _, e := range entries {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
		for _, path := range paths {
			if err := setSync(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("a unit of insert may be stored twice after a power failure: the appends to %s cannot be synced: the file system does not take the attribute S (chattr +S): %w", path, err)
			}
		}
	}
	return nil
}
