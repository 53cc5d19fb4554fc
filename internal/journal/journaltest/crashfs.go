// Package journaltest has a file system that crashes, for tests of what must
// survive that. It keeps everything in memory and knows what was synced.
package journaltest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"syscall"

	"github.com/trackwayhq/trackway/internal/journal"
)

// ErrCrashed is what every call returns after the crash.
var ErrCrashed = errors.New("the machine has crashed")

// sector is the unit that a disk writes wholly or not at all.
const sector = 512

// Loss is what a crash does to what was not synced.
type Loss int

const (
	// KeepAll is a killed process: the system still writes everything.
	KeepAll Loss = iota
	// LoseAll is a power failure before anything unsynced was written.
	LoseAll
	// LoseSome is a power failure after some sectors, in any order, were written.
	LoseSome
)

// CrashFS is a file system that crashes at the nth change: writes, allocations,
// syncs, creations, renames and removals count. It implements journal.FileSystem.
type CrashFS struct {
	mu      sync.Mutex
	steps   int // changes until the crash; negative: none
	count   int
	crashed bool
	limit   int64 // bytes on disk; 0: no limit

	names   map[string]*inode // as seen
	durable map[string]*inode // as on disk
	changes []func(map[string]*inode)
	locks   map[string]bool
}

type inode struct {
	data     []byte
	durable  []byte
	unsynced []write
}

type write struct {
	off  int64
	data []byte // nil: an allocation of off bytes
}

// New returns an empty file system.
func New() *CrashFS {
	return &CrashFS{steps: -1, names: map[string]*inode{}, durable: map[string]*inode{}, locks: map[string]bool{}}
}

// CrashAfter makes the nth change from now the last, which is done in part.
func (c *CrashFS) CrashAfter(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps = n
}

// Limit makes allocations fail with ENOSPC beyond so many bytes; 0 lifts it.
func (c *CrashFS) Limit(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = bytes
}

// Crash crashes now.
func (c *CrashFS) Crash() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashed = true
}

// Crashed says whether it has crashed.
func (c *CrashFS) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crashed
}

// Changes counts the changes so far.
func (c *CrashFS) Changes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// Restart returns what the machine finds after the crash.
func (c *CrashFS) Restart(rng *rand.Rand, loss Loss) *CrashFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashed = true
	after := New()
	if loss == KeepAll {
		// Nothing is more durable than before: a power failure may follow.
		after.names, after.durable, after.changes = c.names, c.durable, c.changes
		return after
	}
	kept := 0
	if loss == LoseSome {
		kept = rng.IntN(len(c.changes) + 1)
	}
	names := maps.Clone(c.durable)
	for _, change := range c.changes[:kept] {
		change(names)
	}
	seen := map[*inode]*inode{}
	for name, node := range names {
		if seen[node] == nil {
			data := node.after(rng, loss)
			seen[node] = &inode{data: data, durable: slices.Clone(data)}
		}
		after.names[name] = seen[node]
	}
	after.durable = maps.Clone(after.names)
	return after
}

func (n *inode) after(rng *rand.Rand, loss Loss) []byte {
	data := slices.Clone(n.durable)
	for _, w := range n.unsynced {
		switch {
		case loss == LoseAll:
		case w.data == nil:
			if rng.IntN(2) == 0 {
				data = grow(data, w.off)
			}
		default:
			for start := int64(0); start < int64(len(w.data)); {
				end := min((w.off+start)/sector*sector+sector-w.off, int64(len(w.data)))
				if rng.IntN(2) == 0 {
					data = grow(data, w.off+end)
					copy(data[w.off+start:w.off+end], w.data[start:end])
				}
				start = end
			}
		}
	}
	return data
}

func grow(b []byte, size int64) []byte {
	if int64(len(b)) >= size {
		return b
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

// step counts a change. It is false when nothing works any more; last says that
// this change is the one at which the machine stops.
func (c *CrashFS) step() (ok, last bool) {
	if c.crashed {
		return false, false
	}
	c.count++
	if c.steps < 0 {
		return true, false
	}
	c.steps--
	if c.steps <= 0 {
		c.crashed = true
		return true, true
	}
	return true, false
}

// change does something to the directory, durably with its next sync.
func (c *CrashFS) change(do func(map[string]*inode)) error {
	ok, last := c.step()
	if !ok {
		return ErrCrashed
	}
	do(c.names)
	c.changes = append(c.changes, do)
	if last {
		return ErrCrashed
	}
	return nil
}

// MkdirAll does nothing: there is one directory.
func (c *CrashFS) MkdirAll(string) error { return nil }

// Open opens a file.
func (c *CrashFS) Open(path string, create bool) (journal.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crashed {
		return nil, ErrCrashed
	}
	if _, ok := c.names[path]; !ok {
		if !create {
			return nil, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
		}
		node := &inode{}
		if err := c.change(func(names map[string]*inode) { names[path] = node }); err != nil {
			return nil, err
		}
	}
	return &crashFile{fs: c, node: c.names[path]}, nil
}

// Rename renames a file.
func (c *CrashFS) Rename(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names[from] == nil && !c.crashed {
		return fmt.Errorf("rename %s: %w", from, fs.ErrNotExist)
	}
	return c.change(func(names map[string]*inode) {
		if node, ok := names[from]; ok {
			names[to] = node
			delete(names, from)
		}
	})
}

// Remove removes a file.
func (c *CrashFS) Remove(path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names[path] == nil && !c.crashed {
		return fmt.Errorf("remove %s: %w", path, fs.ErrNotExist)
	}
	return c.change(func(names map[string]*inode) { delete(names, path) })
}

// List lists the names.
func (c *CrashFS) List(string) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crashed {
		return nil, ErrCrashed
	}
	var names []string
	for path := range c.names {
		names = append(names, filepath.Base(path))
	}
	sort.Strings(names)
	return names, nil
}

// SyncDir makes the names durable.
func (c *CrashFS) SyncDir(string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok, last := c.step()
	if !ok || last {
		return ErrCrashed
	}
	c.durable = maps.Clone(c.names)
	c.changes = nil
	return nil
}

// Lock takes a lock that the crash gives back.
func (c *CrashFS) Lock(path string) (io.Closer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.locks[path] {
		return nil, fmt.Errorf("%s: %w", path, journal.ErrLocked)
	}
	c.locks[path] = true
	return unlock(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.locks, path)
	}), nil
}

type unlock func()

// Close gives the lock back.
func (u unlock) Close() error { u(); return nil }

// Damage flips a bit on disk and says whether the file has that byte.
func (c *CrashFS) Damage(path string, off int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	node := c.names[path]
	if node == nil || off >= int64(len(node.data)) {
		return false
	}
	node.data[off] ^= 1
	if off < int64(len(node.durable)) {
		node.durable[off] ^= 1
	}
	return true
}

type crashFile struct {
	fs   *CrashFS
	node *inode
}

// ReadAt reads what was written, synced or not.
func (f *crashFile) ReadAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.fs.crashed {
		return 0, ErrCrashed
	}
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.node.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes; the crash may keep any of its sectors.
func (f *crashFile) WriteAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	ok, last := f.fs.step()
	if !ok {
		return 0, ErrCrashed
	}
	data := slices.Clone(b)
	f.node.data = grow(f.node.data, off+int64(len(b)))
	copy(f.node.data[off:], data)
	f.node.unsynced = append(f.node.unsynced, write{off, data})
	if last {
		return 0, ErrCrashed
	}
	return len(b), nil
}

// Sync makes what was written durable.
func (f *crashFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	ok, last := f.fs.step()
	if !ok || last {
		return ErrCrashed
	}
	for _, w := range f.node.unsynced {
		f.node.durable = grow(f.node.durable, w.off+int64(len(w.data)))
		copy(f.node.durable[w.off:], w.data)
	}
	f.node.unsynced = nil
	return nil
}

// Allocate makes the file that long.
func (f *crashFile) Allocate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	ok, last := f.fs.step()
	if !ok {
		return ErrCrashed
	}
	if f.fs.limit > 0 && f.fs.used()+size > f.fs.limit {
		return syscall.ENOSPC
	}
	f.node.data = grow(f.node.data, size)
	f.node.unsynced = append(f.node.unsynced, write{off: size})
	if last {
		return ErrCrashed
	}
	return nil
}

func (c *CrashFS) used() int64 {
	var bytes int64
	for _, node := range c.names {
		bytes += int64(len(node.data))
	}
	return bytes
}

// Close does nothing.
func (f *crashFile) Close() error { return nil }
