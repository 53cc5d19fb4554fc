package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"syscall"

	"github.com/trackwayhq/trackway/internal/filelock"
)

// FileSystem is what the journal needs of a file system. Tests put one in its
// place that forgets what was not synced.
type FileSystem interface {
	MkdirAll(dir string) error
	// Open opens a file for reading and writing; create makes an absent one.
	Open(path string, create bool) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	// List gives the names in a directory, sorted.
	List(dir string) ([]string, error)
	// SyncDir makes creations, renames and removals in a directory durable.
	SyncDir(dir string) error
	// Lock takes an exclusive lock that ends with the process, or says ErrLocked.
	Lock(path string) (io.Closer, error)
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	// Sync makes written bytes durable.
	Sync() error
	// Allocate reserves size bytes on disk and makes them the file's size.
	Allocate(size int64) error
	Close() error
}

// osFS is the real file system.
type osFS struct{}

const (
	directoryMode = 0o700 // records may hold anybody's data
	fileMode      = 0o600
)

func (osFS) MkdirAll(dir string) error { return os.MkdirAll(dir, directoryMode) }

func (osFS) Open(path string, create bool) (File, error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, fileMode)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Rename(from, to string) error { return os.Rename(from, to) }
func (osFS) Remove(path string) error     { return os.Remove(path) }

func (osFS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sort.Strings(names)
	return names, nil
}

func (osFS) SyncDir(dir string) error {
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func (osFS) Lock(path string) (io.Closer, error) {
	f, err := filelock.Take(path, fileMode, ErrLocked)
	if err != nil {
		return nil, err
	}
	return f, nil
}

type osFile struct{ *os.File }

// noSpace says whether an error is about room on disk and so may pass.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
