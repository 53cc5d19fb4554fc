package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrInUse is wrapped by Open's error when another engine holds the directory.
var ErrInUse = errors.New("data directory in use")

// DefaultLockWait is how long Open waits for the previous engine to let go of
// the directory.
const DefaultLockWait = 10 * time.Second

// Options of Open. The zero value is what a standalone engine wants.
type Options struct {
	// LockWait bounds the wait for the directory's lock; 0 is DefaultLockWait,
	// below 0 does not wait.
	LockWait time.Duration
}

// Store is a data directory that this process owns. It has no methods for the
// data: the engine reads and writes that below EnginePath.
type Store struct {
	dir    string
	lock   *os.File
	synced map[string]bool // the merged parts that SyncMerged has seen; nil before its first call
}

// Open takes the data directory dir for this process, creating it if need be,
// and makes it safe to open by the engine. dir may be relative, the engine gets
// an absolute path: with fsync_part_directory it fails every insert on a
// relative one. Of a directory left by a killed engine it checks the
// deduplication logs, changing only records that would refuse rows that were
// never stored; the Report says which. Opening the same directory again after a
// failure, or a crash in the middle, is safe.
//
// Every error says what to do; one that wraps ErrInUse means that the directory
// belongs to another running engine.
func Open(ctx context.Context, dir string, opts Options) (*Store, Report, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, Report{}, fmt.Errorf("data directory %q: %w", dir, err)
	}
	if err := CheckDir(abs); err != nil {
		return nil, Report{}, err
	}
	if err := createLayout(abs); err != nil {
		return nil, Report{}, err
	}
	wait := opts.LockWait
	if wait == 0 {
		wait = DefaultLockWait
	}
	lock, err := acquireLock(ctx, abs, wait)
	if err != nil {
		return nil, Report{}, err
	}
	s := &Store{dir: abs, lock: lock}
	report, err := s.prepare()
	if err == nil {
		err = s.SyncMerged()
	}
	if err != nil {
		return nil, report, errors.Join(err, s.Abandon())
	}
	return s, report, nil
}

// prepare does what needs the lock.
func (s *Store) prepare() (Report, error) {
	staging := filepath.Join(s.dir, runDir)
	if err := removeStaged(staging); err != nil {
		return Report{}, err
	}
	created, err := checkVersion(s.dir)
	if err != nil {
		return Report{}, err
	}
	report := Report{Created: created}
	_, err = os.Stat(s.dirtyPath())
	switch {
	case err == nil:
		report.Unclean = true
	case !errors.Is(err, fs.ErrNotExist):
		return report, fmt.Errorf("look for the marker of an unclean stop: %w", err)
	}
	if report.Unclean {
		err := check(s.EnginePath(), staging, &report)
		return report, err
	}
	text := fmt.Sprintf("Opened by process %d at %s. Removed when the engine closes the store; found at start, it means that it did not.\n",
		os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	return report, replaceFile(s.dirtyPath(), staging, []byte(text))
}

// Dir is the data directory's absolute path.
func (s *Store) Dir() string { return s.dir }

// EnginePath is the absolute path the engine stores below, its --path.
func (s *Store) EnginePath() string { return filepath.Join(s.dir, engineDir) }

// RunPath is the absolute path of the directory for sockets.
func (s *Store) RunPath() string { return filepath.Join(s.dir, runDir) }

func (s *Store) dirtyPath() string { return filepath.Join(s.dir, dirtyFile) }

// Close marks the store as cleanly closed and lets go of the directory. Call it
// only after the engine has closed its files without an error.
func (s *Store) Close() error {
	if s.lock == nil {
		return nil
	}
	if err := s.SyncMerged(); err != nil {
		return errors.Join(err, s.Abandon())
	}
	if err := os.Remove(s.dirtyPath()); err != nil {
		return errors.Join(fmt.Errorf("remove the marker of an open store: %w", err), s.Abandon())
	}
	return errors.Join(syncDir(s.dir), s.Abandon())
}

// Abandon lets go of the directory and leaves it marked as in use, so that the
// next Open checks it: for an engine that failed.
func (s *Store) Abandon() error {
	if s.lock == nil {
		return nil
	}
	err := s.lock.Close() // releases the lock
	s.lock = nil
	if err != nil {
		return fmt.Errorf("release the data directory's lock: %w", err)
	}
	return nil
}
