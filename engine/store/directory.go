package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The metadata database and the lock file beside it, which queryserver/metadata makes.
const (
	metaFile = "meta.db"
	metaLock = metaFile + ".lock"
)

// ownNames are what Trackway puts into a data directory, by this package or
// beside it. A first start that was killed early may leave some without VERSION.
var ownNames = []string{engineDir, journalDir, deadLetterDir, runDir, dirtyFile, "engine.password", "internal.token", "demo.json", metaFile, metaFile + "-wal", metaFile + "-shm", metaLock}

// CheckDir refuses a directory that holds something else, before anything is
// created in it. It may be missing, empty (hidden files and lost+found of a fresh
// file system do not count), or a data directory.
func CheckDir(dir string) error {
	if dir == "" {
		return errors.New("--data: want a directory, got nothing")
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data directory %s: choose another with --data: %w", dir, err)
	}
	foreign, own := false, false
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case name == versionFile:
			_, err := checkVersion(dir)
			return err
		case strings.HasPrefix(name, "."), name == "lost+found":
		case slices.Contains(ownNames, name):
			own = true
		default:
			foreign = true
		}
	}
	if own && !foreign {
		// Others call a directory run, too; a lock in it is ours. Projects and keys
		// can be made before the first start, with a lock beside their file.
		locks, err := filepath.Glob(filepath.Join(dir, runDir, "*.lock"))
		if _, statErr := os.Stat(filepath.Join(dir, metaLock)); statErr == nil {
			locks = append(locks, metaLock)
		}
		if _, statErr := os.Stat(filepath.Join(dir, engineDir)); statErr == nil && len(locks) == 0 {
			return versionMissing(dir)
		}
		foreign = err != nil || len(locks) == 0
	}
	if foreign {
		return fmt.Errorf("%s is not empty and holds no Trackway data: choose an empty or new directory with --data", dir)
	}
	return nil
}
