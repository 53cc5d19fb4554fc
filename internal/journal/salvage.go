package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Lost is a place of which nothing could be read.
type Lost struct {
	File   string
	Offset int64
	// Bytes to the next thing that could be read; 0 if it is not known.
	Bytes int64
	// Records missing by their sequence; 0 if it is not known.
	Records uint64
	Reason  string
}

// SalvageReport says what became of a journal's records.
type SalvageReport struct {
	Segments int
	Records  int64
	Sets     int64
	Deletes  int64
	Keys     int64 // in the new journal
	Lost     []Lost
}

// Salvage copies what is readable of the journal in from to a new journal in to,
// and reports what was lost. The old one is not changed, apart from its LOCK. What
// a lost record deleted comes back: a queue then delivers it again.
func Salvage(from, to string, opts Options) (report SalvageReport, err error) {
	opts = opts.withDefaults()
	lock, err := takeLock(opts.FileSystem, from)
	if err != nil {
		return report, fmt.Errorf("salvage: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	names, err := opts.FileSystem.List(from)
	if err != nil {
		return report, fmt.Errorf("salvage: %w", err)
	}
	if err := mustBeNew(opts.FileSystem, to); err != nil {
		return report, fmt.Errorf("salvage: %w", err)
	}
	target, err := Open(to, opts)
	if err != nil {
		return report, fmt.Errorf("salvage: %w", err)
	}
	s := salvager{report: &report, target: target}
	for _, name := range names {
		if seq, ok := segmentSeq(name); ok && err == nil {
			report.Segments++
			err = s.segment(opts.FileSystem, filepath.Join(from, name), seq)
		}
	}
	report.Keys = target.Stats().Keys
	if cerr := target.Close(); err != nil || cerr != nil {
		return report, fmt.Errorf("salvage into %s: %w", to, errors.Join(err, cerr))
	}
	return report, nil
}

func mustBeNew(fs FileSystem, dir string) error {
	if err := fs.MkdirAll(dir); err != nil {
		return err
	}
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := segmentSeq(name); ok {
			return fmt.Errorf("%s holds a journal already; name an empty directory", dir)
		}
	}
	return nil
}

type salvager struct {
	report  *SalvageReport
	target  *Journal
	lastSeq uint64
	segSeq  uint64
}

func (s *salvager) lost(l Lost) { s.report.Lost = append(s.report.Lost, l) }

func (s *salvager) segment(fs FileSystem, path string, seq uint64) error {
	if s.segSeq != 0 && seq != s.segSeq+1 {
		s.lost(Lost{File: segmentPath(filepath.Dir(path), s.segSeq+1), Reason: "the segment is missing"})
	}
	s.segSeq = seq
	f, err := fs.Open(path, false)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readHeader(f, path)
	if err != nil {
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) {
			return err
		}
		s.lost(Lost{File: path, Reason: corrupt.Reason})
		return nil
	}
	end := int64(headerSize)
	return findRecords(f, h, headerSize, func(rec foundRecord) (bool, error) {
		if rec.off != end || (s.lastSeq != 0 && rec.seq > s.lastSeq+1) {
			l := Lost{File: path, Offset: end, Bytes: rec.off - end, Reason: "not readable"}
			if s.lastSeq != 0 && rec.seq > s.lastSeq {
				l.Records = rec.seq - s.lastSeq - 1
			}
			s.lost(l)
		}
		end, s.lastSeq = rec.off+rec.size(), rec.seq
		s.report.Records++
		if rec.kind != kindBatch {
			return rec.kind != kindEnd, nil
		}
		batches, ok := s.decoded(path, rec)
		if !ok {
			return true, nil
		}
		return true, s.copy(batches)
	})
}

// decoded gives a batch's operations by space; a batch that does not decode is
// reported as lost.
func (s *salvager) decoded(path string, rec foundRecord) (batches map[string][]Op, ok bool) {
	batches = map[string][]Op{}
	err := decodeOps(rec.payload, func(op loggedOp) error {
		batches[op.space] = append(batches[op.space], Op{Kind: op.kind, Key: op.key, Value: op.value})
		if op.kind == Set {
			s.report.Sets++
		} else {
			s.report.Deletes++
		}
		return nil
	})
	if err != nil {
		s.lost(Lost{File: path, Offset: rec.off, Bytes: rec.size(), Records: 1, Reason: err.Error()})
		return nil, false
	}
	return batches, true
}

// copy applies a batch to the new journal, space by space.
func (s *salvager) copy(batches map[string][]Op) error {
	for name, ops := range batches {
		s.target.mu.Lock()
		space := s.target.space(name)
		space.open = true
		s.target.mu.Unlock()
		if _, err := space.Apply(ops, Now); err != nil {
			return err
		}
	}
	return nil
}
