package deadletter

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// load checks every file and builds the index. What a crash tore is cut off.
func (s *Store) load() error {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasSuffix(n.Name(), tempSuffix) { // a rewrite that did not happen
			if err := os.Remove(filepath.Join(s.dir, n.Name())); err != nil {
				return err
			}
		} else if seq, ok := fileSeq(n.Name()); ok {
			s.files = append(s.files, seq)
		}
	}
	slices.Sort(s.files)
	for _, seq := range slices.Clone(s.files) {
		if err := s.loadFile(seq); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) loadFile(seq uint64) error {
	path := filePath(s.dir, seq)
	found, err := scan(path)
	if err != nil {
		return err
	}
	s.sizes[seq] = found.size
	if found.torn >= 0 {
		s.torn++
		if found.torn <= headerSize && len(found.damage) == 0 {
			return s.removeFile(seq)
		}
		if err := s.cut(path, found.torn); err != nil {
			return err
		}
		s.sizes[seq] = found.torn
	}
	s.damage = append(s.damage, found.damage...)
	repeated := false
	for _, e := range found.entries {
		if _, ok := s.index[e.entry.ID]; ok {
			repeated = true
			continue
		}
		s.index[e.entry.ID] = place{seq: seq, offset: e.offset, size: e.frame.size()}
	}
	if repeated { // a Write that failed, was repeated, and had been on disk after all
		return s.rewrite(seq, nil, false)
	}
	return nil
}

func (s *Store) cut(path string, size int64) error {
	f, err := os.OpenFile(filepath.Clean(path), os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return err
	}
	return s.syncFile(f)
}
