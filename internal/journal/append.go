package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// tier is how many spare segments a record leaves to records that matter more.
// What frees room must never be refused for want of room.
type tier int

const (
	tierCarry tier = 0 // copies of live values, trims, the clean close
	tierFlush tier = 2 // deletes, and what a queue notes down
	tierPut   tier = 3 // new data
)

// moveAttempts is how often a move lets the keeper try to make room before it gives
// up; the first may have begun before there was anything to gain.
const moveAttempts = 3

// reserveSegments are prepared at opening, so that they are there on a full disk.
const reserveSegments = int(tierPut)

// openingSegments may exceed the size limit after a crash has left too few spares to
// copy live values forward; they are removed when they are free again.
const openingSegments = 2

var errNoRoom = errors.New("no segment is free")

func (j *Journal) active() *segment { return j.chain[len(j.chain)-1] }

// room makes sure that a record of size bytes can be appended, going on to the
// next segment if need be. New data waits while segments are being made ready.
// Callers hold the lock, which is released while waiting.
func (j *Journal) room(size int64, t tier) error {
	return j.roomOrWait(size, t, t == tierPut, 0)
}

// roomToMove makes room for what takes the place of deletes held back. Refused, it
// would be lost with them: it waits for room, and if there can be none the
// journal fails with everything in its old place.
func (j *Journal) roomToMove(size int64) error {
	err := j.roomOrWait(size, tierFlush, true, moveAttempts)
	if errors.Is(err, ErrFull) {
		j.fail(fmt.Errorf("%w, and has no room to move what was in flight: raise the size limit or make room on the disk", err))
		return j.failure
	}
	return err
}

func (j *Journal) roomOrWait(size int64, t tier, wait bool, attempts int) error {
	if align(size) > j.maxRecord() {
		return ErrTooLarge
	}
	for {
		if j.failure != nil {
			return j.failure
		}
		if wait {
			if j.closed {
				return ErrClosed
			}
			if j.stalled && attempts == 0 {
				return ErrFull
			}
			if j.unwritten > maxUnwritten {
				j.cond.Wait()
				continue
			}
		}
		active := j.active()
		fits := active.end+align(size)+endRecordSize <= active.size
		switch {
		case fits && len(j.spares) >= int(t):
			return nil
		case !fits && len(j.spares) > int(t):
			j.rotate()
		case !wait:
			kick(j.keepWake)
			return errNoRoom
		case j.exhausted:
			kick(j.keepWake)
			if attempts == 0 {
				return ErrFull
			}
			attempts--
			j.exhausted = false
			j.cond.Wait()
		default:
			kick(j.keepWake)
			j.cond.Wait()
		}
	}
}

func (j *Journal) maxRecord() int64 {
	return j.opts.SegmentBytes - headerSize - endRecordSize
}

// rotate ends the active segment and goes on to the first spare.
func (j *Journal) rotate() {
	j.appendRecord(kindEnd, make([]byte, recordHeader))
	next := j.spares[0]
	j.spares = slices.Delete(j.spares, 0, 1)
	j.chain = append(j.chain, next)
	kick(j.keepWake)
}

// appendRecord gives a record its place and sequence; rec has room for the header
// in front of the payload. Callers hold the lock and have made room.
func (j *Journal) appendRecord(kind uint8, rec []byte) *pending {
	seg := j.active()
	j.lastSeq++
	putRecordHead(rec, recordHead{length: uint32(len(rec) - recordHeader), seq: j.lastSeq, synced: j.synced, kind: kind})
	for len(rec)%alignment != 0 {
		rec = append(rec, 0)
	}
	p := &pending{seg: seg, off: seg.end, buf: rec, seq: j.lastSeq}
	seg.end += int64(len(rec))
	seg.lastSeq = j.lastSeq
	j.queue = append(j.queue, p)
	j.unwritten += int64(len(rec))
	j.stats.AppendedBytes += int64(len(rec))
	j.stats.AppendedRecords++
	kick(j.commitWake)
	return p
}

// change is an operation that goes into a record.
type change struct {
	space *Space
	kind  OpKind
	key   string
	value []byte
	since int64 // of a value that is copied; 0 for now
}

// valueCost is what a value takes in a record of its own, so that what is alive
// is never taken for garbage.
func valueCost(space, key string, value []byte) int64 {
	return opSize(space, key, value) + recordHeader + alignment
}

func changesSize(changes []change) int64 {
	size := int64(recordHeader + 10)
	for _, c := range changes {
		size += opSize(c.space.name, c.key, c.value)
	}
	return size
}

// logChanges appends one record of changes and points the index at it. Callers
// hold the lock and have made room.
func (j *Journal) logChanges(changes []change) uint64 {
	rec := make([]byte, recordHeader, align(changesSize(changes)))
	rec = binary.AppendUvarint(rec, uint64(len(changes)))
	ends := make([]int, len(changes))
	for i, c := range changes {
		rec = appendOp(rec, c.kind, c.space.name, c.key, c.value)
		ends[i] = len(rec)
	}
	size := int64(len(rec))
	now := time.Now().Unix()
	p := j.appendRecord(kindBatch, rec)
	for i, c := range changes {
		c.space.forget(c.key)
		if c.kind == Delete {
			continue
		}
		at := ends[i] - len(c.value)
		e := &entry{
			seg: p.seg, rec: p.off, recSize: uint32(align(size)), at: uint32(at), size: uint32(len(c.value)),
			cost: valueCost(c.space.name, c.key, c.value), seq: p.seq, since: now,
		}
		if c.since != 0 {
			e.since = c.since
		}
		p.seg.live += e.cost
		c.space.logged[c.key] = e
		j.cache.add(e, rec[at:ends[i]:ends[i]], size)
	}
	j.cache.evict(j.written)
	return p.seq
}
