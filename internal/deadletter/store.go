package deadletter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/trackwayhq/trackway/internal/filelock"
)

const (
	// DefaultMaxBytes bounds a directory unless told otherwise.
	DefaultMaxBytes = 256 << 20
	// maxEntries bounds the index in memory, about 200 bytes an entry.
	maxEntries = 100_000
	// filesPerLimit is how many files the limit is split into, so that removing an
	// entry rewrites a part of what there is.
	filesPerLimit = 16
	minFileBytes  = 64 << 10

	directoryMode = 0o700 // payloads may hold anybody's data
	fileMode      = 0o600
)

// Store is an open directory of dead letters. Its methods may be called concurrently.
type Store struct {
	dir      string
	maxBytes int64
	lock     *os.File
	// syncFile is (*os.File).Sync; tests put one in its place that fails.
	syncFile func(*os.File) error

	mu     sync.Mutex
	closed bool
	files  []uint64 // sequences, in order
	sizes  map[uint64]int64
	index  map[string]place
	damage []Damage
	torn   int64
	// active is the file that is written, nil until the next Write makes one.
	active *os.File
}

// place is where an entry lies.
type place struct {
	seq    uint64
	offset int64
	size   int64
}

// Stats are gauges of a store, and what opening it found.
type Stats struct {
	Entries int64
	Bytes   int64
	Damaged int64 // places that cannot be read
	Torn    int64 // entries cut off whose writing was interrupted; none was acknowledged
}

// Open opens the dead letters in dir, which is created if absent, and checks all of
// them. maxBytes bounds the files together; 0 means DefaultMaxBytes. It fails with
// ErrLocked if another process has them. Damage does not fail it; see Damage.
func Open(dir string, maxBytes int64) (*Store, error) {
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	if maxBytes < 0 {
		return nil, fmt.Errorf("dead letters %s: size limit: want a number above 0, got %d", dir, maxBytes)
	}
	if err := os.MkdirAll(dir, directoryMode); err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	lock, err := filelock.Take(filepath.Join(dir, lockName), fileMode, ErrLocked)
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	s := &Store{
		dir: dir, maxBytes: maxBytes, lock: lock, syncFile: (*os.File).Sync,
		sizes: map[uint64]int64{}, index: map[string]place{},
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("dead letters %s: %w", dir, err), lock.Close())
	}
	return s, nil
}

// Write stores an entry. It is on disk when Write returns nil. With ErrFull, and
// with any other error, it was not stored and the caller still has it.
func (s *Store) Write(e Entry) error {
	if e.ID == "" {
		e.ID = newID()
	}
	if err := validID(e.ID); err != nil {
		return fmt.Errorf("dead letter: %w", err)
	}
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	if len(e.Reason) > maxReason {
		e.Reason = strings.ToValidUTF8(e.Reason[:maxReason], "") + "…"
	}
	data, err := encode(&e)
	if err != nil {
		return fmt.Errorf("dead letter %s: %w", e.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if _, ok := s.index[e.ID]; ok {
		return nil
	}
	if err := s.append(e.ID, data); err != nil {
		return fmt.Errorf("dead letter %s: %w", e.ID, err)
	}
	return nil
}

func (s *Store) append(id string, data []byte) error {
	size := int64(len(data))
	total := s.total()
	switch {
	case total+size+headerSize > s.maxBytes:
		return fmt.Errorf("%w: %s holds %d bytes, the entry has %d, and max_bytes is %d: replay or drop entries (`trackway deadletter`), or raise it",
			ErrFull, s.dir, total, size, s.maxBytes)
	case len(s.index) >= maxEntries:
		return fmt.Errorf("%w: %s holds %d entries: replay or drop entries (`trackway deadletter`)", ErrFull, s.dir, len(s.index))
	}
	if err := s.rotate(size); err != nil {
		return roomError(err)
	}
	seq := s.files[len(s.files)-1]
	off := s.sizes[seq]
	_, err := s.active.WriteAt(data, off)
	if err == nil {
		err = s.syncFile(s.active)
	}
	if err != nil {
		// Nobody knows what of it is on disk. Take it back, and leave the file alone
		// from here on: a sync that failed once may claim success the next time.
		err = errors.Join(roomError(err), s.active.Truncate(off), s.active.Close())
		s.active = nil
		return err
	}
	s.sizes[seq] = off + size
	s.index[id] = place{seq: seq, offset: off, size: size}
	return nil
}

// rotate makes sure that there is a file to write size bytes to.
func (s *Store) rotate(size int64) error {
	if s.active != nil {
		seq := s.files[len(s.files)-1]
		if s.sizes[seq] == headerSize || s.sizes[seq]+size <= max(s.maxBytes/filesPerLimit, minFileBytes) {
			return nil
		}
		err := s.active.Close()
		s.active = nil
		if err != nil {
			return err
		}
	}
	seq := uint64(1)
	if n := len(s.files); n > 0 {
		seq = s.files[n-1] + 1
	}
	path := filePath(s.dir, seq)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	if err = s.begin(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	s.active = f
	s.files = append(s.files, seq)
	s.sizes[seq] = headerSize
	return nil
}

func (s *Store) begin(f *os.File) error {
	if _, err := f.WriteAt(fileHeader(), 0); err != nil {
		return err
	}
	if err := s.syncFile(f); err != nil {
		return err
	}
	return s.syncDir()
}

func (s *Store) syncDir() error {
	d, err := os.Open(s.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return s.syncFile(d)
}

func (s *Store) total() (n int64) {
	for _, size := range s.sizes {
		n += size
	}
	return n
}

// roomError makes ErrFull of what a full disk says.
func roomError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Stats returns gauges.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{Entries: int64(len(s.index)), Bytes: s.total(), Damaged: int64(len(s.damage)), Torn: s.torn}
}

// Close releases the directory.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if s.active != nil {
		err = s.active.Close()
	}
	return errors.Join(err, s.lock.Close())
}
