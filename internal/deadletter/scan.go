package deadletter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// found is a readable entry and its place.
type found struct {
	entry  Entry // without payload
	offset int64
	frame  frame
	path   string
}

// scanned is what a file holds.
type scanned struct {
	entries []found
	damage  []Damage
	// torn is where an entry begins that the writing of which was interrupted at
	// the end of the file, -1 if there is none.
	torn int64
	size int64
}

// scan reads a file in order and checks every checksum. Behind a damaged place it
// goes on at the next valid entry. What is not an entry at the end of the file is
// torn if a crash can have left it so: cut short, or never written (zeros).
// Anything else there was on disk once and is damage.
func scan(path string) (s scanned, err error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return s, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	s.size, s.torn = info.Size(), -1
	head := make([]byte, headerSize)
	_, err = io.ReadFull(f, head)
	short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !short {
		return s, err
	}
	if short || s.size == headerSize && allZero(head) {
		s.torn = 0 // its creation was interrupted
		return s, nil
	}
	off, bad := int64(headerSize), int64(-1)
	intact, err := checkHeader(head)
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	if !intact {
		s.damage = append(s.damage, Damage{File: path, Bytes: headerSize, Reason: fmt.Sprintf("want a file that starts with %q", fileMagic)})
	}
	for off < s.size {
		e, ok, err := readEntry(f, path, off, s.size)
		if err != nil {
			return s, err
		}
		if ok {
			if bad >= 0 {
				s.damage = append(s.damage, Damage{File: path, Offset: bad, Bytes: off - bad, Reason: "no entry can be read"})
				bad = -1
			}
			s.entries = append(s.entries, e)
			off += e.frame.size()
			continue
		}
		if bad < 0 {
			bad = off
		}
		if off, err = nextMagic(f, off+alignment, s.size); err != nil {
			return s, err
		}
	}
	if bad < 0 {
		return s, nil
	}
	torn, err := isTorn(f, bad, s.size)
	switch {
	case err != nil:
		return s, err
	case torn:
		s.torn = bad
	default:
		s.damage = append(s.damage, Damage{File: path, Offset: bad, Bytes: s.size - bad, Reason: "no entry can be read"})
	}
	return s, nil
}

// readEntry reads and checks the entry at off, payload included, in bounded memory.
func readEntry(f io.ReaderAt, path string, off, size int64) (e found, ok bool, err error) {
	var head [frameSize]byte
	if off+frameSize > size {
		return e, false, nil
	}
	if _, err := f.ReadAt(head[:], off); err != nil {
		return e, false, err
	}
	fr, whole, plausible := readFrame(head[:], size-off)
	if !whole || !plausible {
		return e, false, nil
	}
	meta := make([]byte, fr.meta)
	if _, err := f.ReadAt(meta, off+frameSize); err != nil {
		return e, false, err
	}
	sum := crc32.New(castagnoli)
	sum.Write(head[8:])
	sum.Write(meta)
	if _, err := io.Copy(sum, io.NewSectionReader(f, off+frameSize+int64(fr.meta), int64(fr.payload))); err != nil {
		return e, false, err
	}
	if sum.Sum32() != fr.sum {
		return e, false, nil
	}
	e = found{offset: off, frame: fr, path: path}
	if err := json.Unmarshal(meta, &e.entry); err != nil {
		return e, false, nil //nolint:nilerr // the place is reported as damaged
	}
	return e, true, nil
}

// nextMagic finds the next place at which an entry could begin, size if there is none.
func nextMagic(f io.ReaderAt, off, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for off < size {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-off)], off)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if n < alignment {
			return size, nil
		}
		for i := 0; i+len(entryMagic) <= n; i += alignment {
			if string(buf[i:i+len(entryMagic)]) == entryMagic {
				return off + int64(i), nil
			}
		}
		off += int64(n) &^ (alignment - 1)
	}
	return size, nil
}

func isTorn(f io.ReaderAt, off, size int64) (bool, error) {
	var head [frameSize]byte
	if off+frameSize > size {
		return true, nil
	}
	if _, err := f.ReadAt(head[:], off); err != nil {
		return false, err
	}
	if _, whole, ok := readFrame(head[:], size-off); ok && !whole {
		return true, nil
	}
	buf := make([]byte, 64<<10)
	for off < size {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-off)], off)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if n == 0 {
			return false, fmt.Errorf("file is shorter than %d bytes", size)
		}
		if !allZero(buf[:n]) {
			return false, nil
		}
		off += int64(n)
	}
	return true, nil
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
