package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// spareSegments are kept ready so that a writer does not wait for a file.
	spareSegments = reserveSegments + 2
	// retrySpace is how long a full disk is not asked for another file.
	retrySpace = 200 * time.Millisecond
)

// keepLoop is the one goroutine that makes, reuses and empties segments.
func (j *Journal) keepLoop() {
	for {
		select {
		case <-j.keepWake:
			j.keep()
		case <-j.keeperCtx.Done():
			return
		}
	}
}

func (j *Journal) keep() {
	j.beginScrub()
	for j.keeperCtx.Err() == nil && (j.trim() || j.makeSpare() || j.carryOldest()) {
		j.mu.Lock()
		j.exhausted = false
		j.cond.Broadcast()
		j.mu.Unlock()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// The oldest segment will be free soon if a reader still has it, or it is yet to
	// be written.
	oldest := j.chain[0]
	j.exhausted = len(j.spares) <= int(tierPut) && (len(j.chain) == 1 || oldest.live > 0 && oldest.lastSeq <= j.synced)
	j.cond.Broadcast()
}

// trim reuses the segments at the front in which nothing is alive. Before their
// files are touched a record that says so is on disk, and with it all records
// before it, those that replaced or deleted what the segments held among them.
func (j *Journal) trim() bool {
	j.mu.Lock()
	n := 0
	for n < len(j.chain)-1 && j.chain[n].live == 0 && j.chain[n].pins == 0 {
		n++
	}
	if n == 0 || j.room(recordHeader+8, tierCarry) != nil {
		j.mu.Unlock()
		return false
	}
	rec := binary.LittleEndian.AppendUint64(make([]byte, recordHeader), j.chain[n].seq)
	seq := j.appendRecord(kindTrim, rec).seq
	j.mu.Unlock()
	if j.Wait(j.keeperCtx, seq) != nil {
		return false
	}
	j.mu.Lock()
	dead := slices.Clone(j.chain[:n])
	j.chain = slices.Delete(j.chain, 0, n)
	j.mu.Unlock()
	for _, seg := range dead {
		if err := j.reuse(seg); err != nil {
			j.mu.Lock()
			j.fail(err)
			j.mu.Unlock()
			return false
		}
	}
	return true
}

// reuse makes a dead segment a spare, or removes it if there are enough.
func (j *Journal) reuse(dead *segment) error {
	j.mu.Lock()
	enough := dead.seq < j.scrubbing || len(j.spares) >= spareSegments || len(j.spares) >= reserveSegments && j.diskBytes()+dead.size > j.opts.MaxBytes
	j.mu.Unlock()
	if enough || dead.size != j.opts.SegmentBytes {
		return j.removeSegment(dead)
	}
	spare, err := recycleSegment(j.opts.FileSystem, j.dir, dead, j.newHeader())
	if err != nil {
		// Even a full disk can refuse a rename. Not knowing which names exist, stop;
		// opening sorts it out.
		return errors.Join(fmt.Errorf("reuse %s: %w", dead.path, err), dead.file.Close())
	}
	j.addSpare(spare)
	return nil
}

func (j *Journal) addSpare(seg *segment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.nextSegment++
	j.spares = append(j.spares, seg)
	j.cond.Broadcast()
}

// makeSpare creates another segment if the limit and the disk allow it.
func (j *Journal) makeSpare() bool {
	j.mu.Lock()
	needed := len(j.spares) < spareSegments && j.diskBytes()+j.opts.SegmentBytes <= j.opts.MaxBytes
	wait := time.Since(j.lastNoSpace) < retrySpace
	j.mu.Unlock()
	if !needed || wait {
		return false
	}
	seg, err := createSegment(j.opts.FileSystem, j.dir, j.newHeader())
	switch {
	case err == nil:
		j.addSpare(seg)
		return true
	case noSpace(err):
		j.mu.Lock()
		j.lastNoSpace = time.Now()
		j.mu.Unlock()
	default:
		j.mu.Lock()
		j.fail(err)
		j.mu.Unlock()
	}
	return false
}

func (j *Journal) diskBytes() int64 {
	var bytes int64
	for _, seg := range j.chain {
		bytes += seg.size
	}
	for _, seg := range j.spares {
		bytes += seg.size
	}
	return bytes
}

// oldestWorthCarrying returns the oldest segment if copying what is alive in it
// gains enough. Segments are freed from the front only, so that a delete is never
// forgotten before what it deleted; a few old values would otherwise keep
// everything behind them. Callers hold the lock.
func (j *Journal) oldestWorthCarrying() *segment {
	ended := j.chain[:len(j.chain)-1]
	if j.failure != nil || len(ended) == 0 || ended[0].live == 0 || ended[0].lastSeq > j.synced {
		return nil
	}
	if ended[0].seq < j.scrubbing {
		return ended[0]
	}
	// Room left at the end of a segment is not garbage, since copying does not gain it:
	// the copies of a full journal would go round and round.
	var size, garbage int64
	for _, seg := range ended {
		size += seg.size
		garbage += seg.end - headerSize - seg.live
	}
	if garbage < j.opts.SegmentBytes/2 {
		return nil
	}
	short := len(j.spares) <= int(tierPut) && (j.diskBytes()+j.opts.SegmentBytes > j.opts.MaxBytes || time.Since(j.lastNoSpace) < time.Second)
	switch {
	case len(ended) >= 4 && garbage > size/2 && garbage > j.opts.SegmentBytes,
		short && garbage > size/8,
		len(j.spares) <= int(tierFlush):
		return ended[0]
	}
	return nil
}

// carryOldest copies what is alive in the oldest segment to the end of the log.
func (j *Journal) carryOldest() bool {
	j.mu.Lock()
	seg := j.oldestWorthCarrying()
	j.mu.Unlock()
	if seg == nil {
		return false
	}
	scan := newScanner(seg.file, seg.segmentHeader)
	for j.keeperCtx.Err() == nil {
		rec, ok, err := scan.next()
		switch {
		case err != nil:
			err = fmt.Errorf("read %s: %w", seg.path, err)
		case !ok:
			err = &CorruptError{File: seg.path, Offset: scan.off, Reason: "the segment is damaged"}
		case rec.kind == kindEnd:
			return true
		case rec.kind != kindBatch:
			continue
		default:
			var seq uint64
			seq, err = j.carryRecord(seg, rec)
			if err == nil && seq > 0 {
				err = j.Wait(j.keeperCtx, seq)
			}
			if errors.Is(err, errNoRoom) || errors.Is(err, ErrTooLarge) || j.keeperCtx.Err() != nil {
				return false
			}
		}
		if err != nil {
			j.mu.Lock()
			j.fail(err)
			j.mu.Unlock()
			return false
		}
	}
	return false
}

// carryRecord appends the values of a record that are still alive. It returns a
// sequence to wait for when much waits to be written, else 0.
func (j *Journal) carryRecord(seg *segment, rec foundRecord) (uint64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure != nil {
		return 0, j.failure
	}
	var changes []change
	err := decodeOps(rec.payload, func(op loggedOp) error {
		space := j.space(op.space)
		if e := space.logged[op.key]; op.kind == Set && e != nil && e.seg == seg && e.rec == rec.off && e.at == uint32(recordHeader+op.at) {
			changes = append(changes, change{space: space, kind: Set, key: op.key, value: op.value, since: e.since})
			j.stats.CarriedBytes += int64(len(op.value))
		}
		return nil
	})
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	if err := j.room(changesSize(changes), tierCarry); err != nil {
		return 0, err
	}
	seq := j.logChanges(changes)
	if j.unwritten > writeChunk {
		return seq, nil
	}
	return 0, nil
}
