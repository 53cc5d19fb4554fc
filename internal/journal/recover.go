package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

func takeLock(fs FileSystem, dir string) (io.Closer, error) {
	return fs.Lock(filepath.Join(dir, lockName))
}

// recover reads the journal from its files and builds the index.
//
// Where the records of a segment stop without an end record, there are three
// cases. If a record further on, here or in a later segment, was written when the
// record missing here was known to be on disk, that record was there once: the
// journal is corrupt. If there is a sign of a record, it was being written when
// the machine stopped, and nobody was told that it is stored: a torn tail, cut off
// by ending the segment here, so that nothing behind the cut is ever read.
// Otherwise it is just the end.
func (j *Journal) recover() error {
	segments, err := j.openSegments()
	if err != nil {
		return err
	}
	var tail tailState
	var trim uint64
	for i, seg := range segments {
		sealed, err := j.replay(seg, &trim)
		if err != nil {
			return err
		}
		if i+1 < len(segments) && sealed {
			continue
		}
		tail.seg, tail.sealed = seg, sealed
		if err := j.inspectTail(&tail, segments[i+1:]); err != nil {
			return err
		}
		j.chain, j.spares = segments[:i+1:i+1], segments[i+1:]
		break
	}
	if err := j.syncFound(); err != nil {
		return err
	}
	if err := j.checkOldest(trim); err != nil {
		return err
	}
	return j.makeReady(tail)
}

// tailState is where the log ends.
type tailState struct {
	seg    *segment
	sealed bool
	torn   int64 // bytes from the end to the last sign of a record
}

// openSegments opens all segments in order and removes half-made files.
func (j *Journal) openSegments() ([]*segment, error) {
	names, err := j.opts.FileSystem.List(j.dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, segmentSuffix+tempSuffix) {
			if err := j.opts.FileSystem.Remove(filepath.Join(j.dir, name)); err != nil {
				return nil, err
			}
			continue
		}
		seq, ok := segmentSeq(name)
		if !ok {
			continue
		}
		path := filepath.Join(j.dir, name)
		f, err := j.opts.FileSystem.Open(path, false)
		if err != nil {
			return nil, err
		}
		seg := &segment{path: path, file: f, end: headerSize}
		j.chain = append(j.chain, seg) // closed with the journal, whatever happens
		if seg.segmentHeader, err = readHeader(f, path); err != nil {
			return nil, err
		}
		if err := j.checkHeader(seg, seq); err != nil {
			return nil, err
		}
	}
	if len(j.chain) == 0 {
		_, err := rand.Read(j.id[:])
		return nil, err
	}
	return j.chain, nil
}

func (j *Journal) checkHeader(seg *segment, seq uint64) error {
	if len(j.chain) == 1 {
		j.id = seg.id
	}
	switch {
	case seg.seq != seq:
		return &CorruptError{File: seg.path, Reason: fmt.Sprintf("the header is that of segment %016x", seg.seq)}
	case seg.id != j.id:
		return &CorruptError{File: seg.path, Reason: "the segment belongs to another journal"}
	}
	if n := len(j.chain); n > 1 && j.chain[n-2].seq+1 != seq {
		return &CorruptError{File: segmentPath(j.dir, j.chain[n-2].seq+1), Reason: "the segment is missing"}
	}
	return nil
}

// replay applies the records of a segment to the index, and says whether they are
// followed by its end record.
func (j *Journal) replay(seg *segment, trim *uint64) (sealed bool, err error) {
	scan := newScanner(seg.file, seg.segmentHeader)
	for {
		rec, ok, err := scan.next()
		if err != nil {
			return false, fmt.Errorf("read %s: %w", seg.path, err)
		}
		if !ok {
			seg.end = scan.off
			return false, nil
		}
		if j.lastSeq != 0 && rec.seq != j.lastSeq+1 {
			return false, &CorruptError{File: seg.path, Offset: rec.off, Reason: fmt.Sprintf("record %d follows record %d", rec.seq, j.lastSeq)}
		}
		j.lastSeq = rec.seq
		seg.lastSeq = rec.seq
		seg.end = scan.off
		switch rec.kind {
		case kindEnd:
			return true, nil
		case kindTrim:
			if len(rec.payload) != 8 {
				return false, &CorruptError{File: seg.path, Offset: rec.off, Reason: "a trim record of another size"}
			}
			*trim = max(*trim, binary.LittleEndian.Uint64(rec.payload))
		case kindBatch:
			if err := j.replayBatch(seg, rec); err != nil {
				return false, &CorruptError{File: seg.path, Offset: rec.off, Reason: err.Error()}
			}
		}
	}
}

func (j *Journal) replayBatch(seg *segment, rec foundRecord) error {
	return decodeOps(rec.payload, func(op loggedOp) error {
		space := j.space(op.space)
		space.forget(op.key)
		if op.kind == Set {
			e := &entry{
				seg: seg, rec: rec.off, recSize: uint32(rec.size()), at: uint32(recordHeader + op.at), size: uint32(len(op.value)),
				cost: valueCost(op.space, op.key, op.value), seq: rec.seq, since: j.opened,
			}
			seg.live += e.cost
			space.logged[op.key] = e
		}
		return nil
	})
}

// inspectTail tells the end of the log from a torn tail and from corruption.
func (j *Journal) inspectTail(tail *tailState, later []*segment) error {
	seg, next := tail.seg, j.lastSeq+1
	corrupt := func(reason string) error {
		return &CorruptError{File: seg.path, Offset: seg.end, Reason: reason}
	}
	for _, s := range later {
		err := findRecords(s.file, s.segmentHeader, headerSize, func(foundRecord) (bool, error) {
			if tail.sealed {
				return false, &CorruptError{File: s.path, Offset: headerSize, Reason: "records that belong to no place in the log"}
			}
			return false, corrupt("the segment has no end, and a later one has records")
		})
		if err != nil {
			return err
		}
	}
	if tail.sealed {
		return nil
	}
	if seg.end+recordHeader <= seg.size {
		head := make([]byte, recordHeader)
		n, err := seg.file.ReadAt(head, seg.end)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if h, plausible := readRecordHead(head, seg.size-seg.end); n == recordHeader && plausible && h.seq == next {
			tail.torn = h.size()
		}
	}
	return findRecords(seg.file, seg.segmentHeader, seg.end, func(rec foundRecord) (bool, error) {
		if rec.synced >= next {
			return false, corrupt(fmt.Sprintf("record %d is damaged; record %d at offset %d was written when it was on disk", next, rec.seq, rec.off))
		}
		tail.torn = rec.off + rec.size() - seg.end
		return true, nil
	})
}

// syncFound makes durable what was found, before anything is done about it: a
// killed process leaves records that a power failure would still take back. They
// are in the last segment, or are the end of the one before it.
func (j *Journal) syncFound() error {
	for _, seg := range j.chain[max(len(j.chain)-2, 0):] {
		if err := seg.file.Sync(); err != nil {
			return err
		}
	}
	j.written, j.synced = j.lastSeq, j.lastSeq
	if len(j.chain) == 0 {
		return nil
	}
	return j.opts.FileSystem.SyncDir(j.dir)
}

// checkOldest makes sure that no segment is missing at the front, and drops those
// that a crash left there after they were trimmed.
func (j *Journal) checkOldest(trim uint64) error {
	if len(j.chain) == 0 {
		return nil
	}
	oldest := max(trim, 1)
	if j.chain[0].seq > oldest {
		return &CorruptError{File: segmentPath(j.dir, oldest), Reason: "the segment is missing"}
	}
	for len(j.chain) > 1 && j.chain[0].seq < trim {
		if err := j.removeSegment(j.chain[0]); err != nil {
			return err
		}
		j.chain = j.chain[1:]
	}
	return nil
}

func (j *Journal) removeSegment(seg *segment) error {
	if err := errors.Join(seg.file.Close(), j.opts.FileSystem.Remove(seg.path)); err != nil {
		return err
	}
	return j.opts.FileSystem.SyncDir(j.dir)
}

// makeReady cuts a torn tail, and prepares the segments that must be there on a full
// disk.
func (j *Journal) makeReady(tail tailState) error {
	for n := len(j.spares); n > 0 && j.spares[n-1].size != j.opts.SegmentBytes; n-- {
		if err := j.removeSegment(j.spares[n-1]); err != nil {
			return err
		}
		j.spares = j.spares[:n-1]
	}
	j.nextSegment = 1
	if n := len(j.chain); n > 0 {
		j.nextSegment = j.chain[n-1].seq + uint64(len(j.spares)) + 1
	}
	limit := j.opts.MaxBytes + openingSegments*j.opts.SegmentBytes
	for len(j.chain) == 0 || len(j.spares) < reserveSegments && j.diskBytes()+j.opts.SegmentBytes <= limit {
		seg, err := createSegment(j.opts.FileSystem, j.dir, j.newHeader())
		if noSpace(err) && len(j.chain) > 0 {
			break // what is here must still drain
		}
		if err != nil {
			return err
		}
		j.nextSegment++
		if len(j.chain) == 0 {
			j.chain = append(j.chain, seg)
			continue
		}
		j.spares = append(j.spares, seg)
	}
	if tail.torn == 0 && !tail.sealed {
		return nil
	}
	if tail.torn > 0 {
		j.stats.TornTails, j.stats.TornBytes = 1, tail.torn
	}
	if len(j.spares) == 0 {
		return fmt.Errorf("no room for another segment: %w", ErrFull)
	}
	if tail.sealed {
		j.chain = append(j.chain, j.spares[0])
		j.spares = j.spares[1:]
		return nil
	}
	j.rotate()
	j.commit()
	return j.failure
}

func (j *Journal) newHeader() segmentHeader {
	return segmentHeader{id: j.id, seq: j.nextSegment, size: j.opts.SegmentBytes}
}

// closeFiles closes all segments and gives the lock back.
func (j *Journal) closeFiles() error {
	var errs []error
	for _, seg := range append(append([]*segment(nil), j.chain...), j.spares...) {
		errs = append(errs, seg.file.Close())
	}
	return errors.Join(append(errs, j.lock.Close())...)
}
