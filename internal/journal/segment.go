package journal

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	segmentSuffix = ".seg"
	tempSuffix    = ".tmp"
	lockName      = "LOCK"
)

// segment is one file of the log. Everything but the file and the header is
// guarded by the journal's lock.
type segment struct {
	segmentHeader
	path string
	file File

	end     int64  // where the next record goes
	live    int64  // bytes of values that a key still has here
	lastSeq uint64 // of its last record
	pins    int    // readers outside the lock
}

func segmentPath(dir string, seq uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%016x%s", seq, segmentSuffix))
}

// segmentSeq reads a segment's sequence from its file name.
func segmentSeq(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(digits) != 16 {
		return 0, false
	}
	seq, err := strconv.ParseUint(digits, 16, 64)
	return seq, err == nil
}

// prepareSegment makes a file that has been allocated, or held another segment,
// the segment h, under its final name, and durable. The caller owns f.
func prepareSegment(fs FileSystem, dir, temp string, f File, h segmentHeader) (*segment, error) {
	if _, err := f.WriteAt(h.encode(), 0); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	path := segmentPath(dir, h.seq)
	if err := fs.Rename(temp, path); err != nil {
		return nil, err
	}
	if err := fs.SyncDir(dir); err != nil {
		return nil, err
	}
	return &segment{segmentHeader: h, path: path, file: f, end: headerSize}, nil
}

// createSegment allocates a new file for the segment h.
func createSegment(fs FileSystem, dir string, h segmentHeader) (*segment, error) {
	temp := segmentPath(dir, h.seq) + tempSuffix
	f, err := fs.Open(temp, true)
	if err != nil {
		return nil, err
	}
	seg, err := func() (*segment, error) {
		if err := f.Allocate(h.size); err != nil {
			return nil, err
		}
		return prepareSegment(fs, dir, temp, f, h)
	}()
	if err != nil {
		f.Close()
		if rerr := fs.Remove(temp); rerr != nil {
			return nil, fmt.Errorf("%w; and removing %s: %w", err, temp, rerr)
		}
		return nil, err
	}
	return seg, nil
}

// recycleSegment makes a dead segment's file the segment h. It takes the old name
// away before it touches the content: a crash in between leaves a file that the
// next opening removes.
func recycleSegment(fs FileSystem, dir string, old *segment, h segmentHeader) (*segment, error) {
	temp := segmentPath(dir, h.seq) + tempSuffix
	if err := fs.Rename(old.path, temp); err != nil {
		return nil, err
	}
	if err := fs.SyncDir(dir); err != nil {
		return nil, err
	}
	return prepareSegment(fs, dir, temp, old.file, h)
}
