package deadletter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// List gives the entries in the order in which they were written, without their
// payloads. One that cannot be read any more is left out and becomes Damage.
func (s *Store) List() ([]Listed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	out := make([]Listed, 0, len(s.index))
	err := s.each(func(f *os.File, p place, id string) error {
		e, err := s.readAt(f, p, id)
		if damage := new(Damage); errors.As(err, &damage) {
			s.damage = append(s.damage, *damage)
			delete(s.index, id)
			return nil
		}
		if err != nil {
			return err
		}
		out = append(out, Listed{Entry: e.entry, Bytes: int64(e.frame.payload), File: e.path, Offset: e.offset})
		return nil
	})
	return out, err
}

// each calls fn for every entry, in order, opening each file once.
func (s *Store) each(fn func(f *os.File, p place, id string) error) error {
	bySeq := map[uint64][]string{}
	for id, p := range s.index {
		bySeq[p.seq] = append(bySeq[p.seq], id)
	}
	for _, seq := range s.files {
		ids := bySeq[seq]
		slices.SortFunc(ids, func(a, b string) int { return int(s.index[a].offset - s.index[b].offset) })
		if len(ids) == 0 {
			continue
		}
		if err := withFile(filePath(s.dir, seq), func(f *os.File) error {
			for _, id := range ids {
				if err := fn(f, s.index[id], id); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func withFile(path string, fn func(*os.File) error) error {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer f.Close()
	return fn(f)
}

// readAt reads an entry without its payload and checks it.
func (s *Store) readAt(f *os.File, p place, id string) (found, error) {
	path := filePath(s.dir, p.seq)
	e, ok, err := readEntry(f, path, p.offset, p.offset+p.size)
	if err != nil {
		return e, fmt.Errorf("read %s at offset %d: %w", path, p.offset, err)
	}
	if !ok || e.entry.ID != id {
		return e, &Damage{File: path, Offset: p.offset, Bytes: p.size, Reason: fmt.Sprintf("entry %s does not match its checksum", id)}
	}
	return e, nil
}

// Read gives an entry with its payload; ErrNotFound if there is none of that id, a
// *Damage if it cannot be read.
func (s *Store) Read(id string) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Entry{}, ErrClosed
	}
	p, ok := s.index[id]
	if !ok {
		return Entry{}, fmt.Errorf("%q: %w", id, ErrNotFound)
	}
	var entry Entry
	err := withFile(filePath(s.dir, p.seq), func(f *os.File) error {
		e, err := s.readAt(f, p, id)
		if err != nil {
			return err
		}
		entry = e.entry
		entry.Payload = make([]byte, e.frame.payload)
		_, err = f.ReadAt(entry.Payload, p.offset+frameSize+int64(e.frame.meta))
		return err
	})
	return entry, err
}

// Damage lists the places that cannot be read.
func (s *Store) Damage() []Damage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damage)
}
