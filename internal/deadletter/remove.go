package deadletter

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// Remove deletes entries and says how many of them were there. Each file that holds
// one is replaced as a whole, or deleted if nothing else is in it, so a crash leaves
// it as it was or as it is to be; the bytes of a removed entry are in no file
// afterwards. Damaged places stay.
func (s *Store) Remove(ids ...string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, ErrClosed
	}
	bySeq := map[uint64]map[string]bool{}
	for _, id := range ids {
		if p, ok := s.index[id]; ok {
			if bySeq[p.seq] == nil {
				bySeq[p.seq] = map[string]bool{}
			}
			bySeq[p.seq][id] = true
		}
	}
	removed := 0
	for _, seq := range slices.Sorted(maps.Keys(bySeq)) {
		if err := s.rewrite(seq, bySeq[seq], false); err != nil {
			return removed, fmt.Errorf("dead letters: removing from %s: %w", filePath(s.dir, seq), roomError(err))
		}
		removed += len(bySeq[seq])
	}
	return removed, nil
}

// RemoveDamaged deletes the places that cannot be read and says how many there were.
func (s *Store) RemoveDamaged() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, ErrClosed
	}
	n := len(s.damage)
	for _, seq := range slices.Clone(s.files) {
		path := filePath(s.dir, seq)
		if !slices.ContainsFunc(s.damage, func(d Damage) bool { return d.File == path }) {
			continue
		}
		if err := s.rewrite(seq, nil, true); err != nil {
			return n - len(s.damage), fmt.Errorf("dead letters: removing damage from %s: %w", path, roomError(err))
		}
	}
	return n, nil
}

// piece is a range of a file that a rewrite keeps.
type piece struct {
	from, size int64
	id         string // "" for damage
}

// rewrite replaces a file by one without the entries in drop.
func (s *Store) rewrite(seq uint64, drop map[string]bool, dropDamage bool) error {
	path := filePath(s.dir, seq)
	var keep []piece
	for id, p := range s.index {
		if p.seq == seq && !drop[id] {
			keep = append(keep, piece{from: p.offset, size: p.size, id: id})
		}
	}
	if !dropDamage {
		for _, d := range s.damage {
			if d.File == path && d.Offset > 0 {
				keep = append(keep, piece{from: d.Offset, size: d.Bytes})
			}
		}
	}
	slices.SortFunc(keep, func(a, b piece) int { return int(a.from - b.from) })
	if s.active != nil && seq == s.files[len(s.files)-1] {
		err := s.active.Close()
		s.active = nil
		if err != nil {
			return err
		}
	}
	if len(keep) == 0 {
		return s.removeFile(seq)
	}
	if err := s.replace(path, keep); err != nil {
		return err
	}
	s.forget(seq)
	at := int64(headerSize)
	for _, k := range keep {
		if k.id == "" {
			s.damage = append(s.damage, Damage{File: path, Offset: at, Bytes: k.size, Reason: "no entry can be read"})
		} else {
			s.index[k.id] = place{seq: seq, offset: at, size: k.size}
		}
		at += k.size
	}
	s.sizes[seq] = at
	return nil
}

// replace writes the pieces of a file to a new one and puts it in its place.
func (s *Store) replace(path string, keep []piece) error {
	temp := path + tempSuffix
	err := withFile(path, func(from *os.File) error {
		to, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
		if err != nil {
			return err
		}
		defer to.Close()
		if _, err := to.Write(fileHeader()); err != nil {
			return err
		}
		for _, k := range keep {
			if _, err := io.Copy(to, io.NewSectionReader(from, k.from, k.size)); err != nil {
				return err
			}
		}
		return s.syncFile(to)
	})
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return s.syncDir()
}

func (s *Store) removeFile(seq uint64) error {
	if err := os.Remove(filePath(s.dir, seq)); err != nil {
		return err
	}
	if err := s.syncDir(); err != nil {
		return err
	}
	s.forget(seq)
	delete(s.sizes, seq)
	s.files = slices.DeleteFunc(s.files, func(f uint64) bool { return f == seq })
	return nil
}

// forget takes what lies in a file out of the index.
func (s *Store) forget(seq uint64) {
	path := filePath(s.dir, seq)
	maps.DeleteFunc(s.index, func(_ string, p place) bool { return p.seq == seq })
	s.damage = slices.DeleteFunc(s.damage, func(d Damage) bool { return d.File == path })
}
