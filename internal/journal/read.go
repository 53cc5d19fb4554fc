package journal

import (
	"fmt"
	"slices"
)

// read is a value that must be read from a segment, which is pinned until then.
type read struct {
	op *Op
	e  entry
}

// gets answers the Get operations from memory and returns what must be read from
// segments. A Get sees the operations before it in the batch. Callers hold the lock.
func (s *Space) gets(ops []Op) []read {
	var reads []read
	for i := range ops {
		if ops[i].Kind != Get {
			continue
		}
		op := &ops[i]
		op.Value = nil
		if before := lastChange(ops[:i], op.Key); before != nil {
			if before.Kind == Set {
				op.Value = notNil(slices.Clone(before.Value))
			}
			continue
		}
		if r, ok := s.lookup(op); ok {
			r.e.seg.pins++
			reads = append(reads, r)
		}
	}
	return reads
}

func lastChange(ops []Op, key string) *Op {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].Kind != Get && ops[i].Key == key {
			return &ops[i]
		}
	}
	return nil
}

// lookup answers a Get from memory, or says what to read.
func (s *Space) lookup(op *Op) (read, bool) {
	if s.isHeld(op.Key) {
		return read{}, false
	}
	if lazy, ok := s.lazy[op.Key]; ok {
		if lazy.Kind == Set {
			op.Value = notNil(lazy.Value)
		}
		return read{}, false
	}
	e, ok := s.logged[op.Key]
	switch {
	case !ok:
		return read{}, false
	case e.size == 0:
		op.Value = []byte{}
		return read{}, false
	case e.value != nil:
		op.Value = e.value
		return read{}, false
	}
	return read{op: op, e: *e}, true
}

// notNil tells an empty value from an absent one.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b[:len(b):len(b)]
}

// load reads values from segments. A value that cannot be read fails the journal:
// a queue that is told so would delete the item.
func (j *Journal) load(reads []read) error {
	if len(reads) == 0 {
		return nil
	}
	var failure error
	for i := range reads {
		if failure == nil {
			failure = loadValue(&reads[i])
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range reads {
		r.e.seg.pins--
		if r.e.seg.pins == 0 {
			kick(j.keepWake)
		}
	}
	if failure != nil {
		j.fail(failure)
		return j.failure
	}
	return nil
}

func loadValue(r *read) error {
	rec := make([]byte, r.e.recSize)
	if _, err := r.e.seg.file.ReadAt(rec, r.e.rec); err != nil {
		return fmt.Errorf("read %s at offset %d: %w", r.e.seg.path, r.e.rec, err)
	}
	found, ok := recordAt(rec, 0, r.e.seg.seed())
	if !ok || found.seq != r.e.seq {
		return &CorruptError{File: r.e.seg.path, Offset: r.e.rec, Reason: fmt.Sprintf("record %d does not match its checksum", r.e.seq)}
	}
	r.op.Value = rec[r.e.at : r.e.at+r.e.size : r.e.at+r.e.size]
	return nil
}

// hold deletes keys in memory and remembers their values until they are released
// or moved.
func (s *Space) hold(ops []Op) ([]read, error) {
	j := s.j
	values := make([]Op, 0, len(ops))
	for _, op := range ops {
		if op.Kind != Delete {
			return nil, fmt.Errorf("space %q: only deletes can be held back", s.name)
		}
		values = append(values, Op{Kind: Get, Key: op.Key})
	}
	reads := s.gets(values)
	j.mu.Unlock()
	err := j.load(reads)
	j.mu.Lock()
	if err != nil {
		return nil, err
	}
	for _, op := range values {
		if op.Value != nil {
			s.held[op.Key] = op.Value
		}
	}
	return nil, j.usable()
}
