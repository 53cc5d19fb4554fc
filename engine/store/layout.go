package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names in a data directory. Other parts put theirs beside them: meta.db, the
// engine's password.
const (
	engineDir     = "store"      // the engine's --path
	journalDir    = "journal"    // the collector's queue
	deadLetterDir = "deadletter" // items that could not be stored
	runDir        = "run"        // sockets, locks, files on their way into place
	versionFile   = "VERSION"
	dirtyFile     = "DIRTY"
	lockFile      = "engine.lock" // in runDir
)

// createLayout makes the directories that are missing. Only the owner may
// enter them: the data holds what users' customers sent.
func createLayout(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, engineDir), filepath.Join(dir, journalDir),
		filepath.Join(dir, deadLetterDir), filepath.Join(dir, runDir)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return fmt.Errorf("create data directory: %w", err)
		}
	}
	return syncDir(dir)
}

// replaceFile puts data at path so that after a crash either the old file or
// the whole new one is there. The file on its way stays in staging, a directory
// on the same file system, because the engine reads every file of some of its
// directories.
func replaceFile(path, staging string, data []byte) (err error) {
	f, err := os.CreateTemp(staging, ".replace-*")
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace %s: %w", path, errors.Join(err, f.Close(), os.Remove(f.Name())))
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		if err = f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}

// removeStaged removes what a killed replaceFile left behind.
func removeStaged(staging string) error {
	left, err := filepath.Glob(filepath.Join(staging, ".replace-*"))
	if err != nil {
		return fmt.Errorf("look for unfinished files: %w", err)
	}
	for _, f := range left {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an unfinished file: %w", err)
		}
	}
	return nil
}
