package journal

import (
	"errors"
	"slices"
)

// applyLazy puts the operations off.
func (s *Space) applyLazy(ops []Op) ([]read, error) {
	j := s.j
	var bytes int64
	for _, op := range ops {
		if op.Kind == Set {
			bytes += opSize(s.name, op.Key, op.Value)
		}
	}
	limit := min(maxLazy, j.maxRecord()/4)
	if bytes > limit {
		reads, err := s.applyNow(ops, nil, roomFor(j, tierFlush))
		if errors.Is(err, errNoRoom) {
			err = ErrFull
		}
		return reads, err
	}
	// More than the limit is put off only while there is no room at all, and never
	// more than fits into a record.
	if j.lazyBytes+bytes > limit && !j.flush(tierFlush) && j.lazyBytes+bytes > j.maxRecord()/2 {
		j.stats.Refused++
		return nil, ErrFull
	}
	reads := s.gets(ops)
	for _, op := range ops {
		if op.Kind == Get {
			continue
		}
		delete(s.held, op.Key)
		if old, ok := s.lazy[op.Key]; ok {
			j.lazyBytes -= opSize(s.name, op.Key, old.Value)
		}
		if op.Kind == Delete && s.logged[op.Key] == nil {
			delete(s.lazy, op.Key)
			continue
		}
		op.Value = slices.Clone(op.Value)
		s.lazy[op.Key] = op
		j.lazyBytes += opSize(s.name, op.Key, op.Value)
	}
	if len(s.lazy) > 0 {
		j.dirty[s] = struct{}{}
		j.armFlush()
	}
	return reads, nil
}

// Release lets the deletes that were held back become durable, lazily.
func (s *Space) Release() {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	s.release()
}

func (s *Space) release() {
	if len(s.held) == 0 {
		return
	}
	for key := range s.held {
		if old, ok := s.lazy[key]; ok {
			s.j.lazyBytes -= opSize(s.name, key, old.Value)
			delete(s.lazy, key)
		}
		if s.logged[key] != nil {
			s.lazy[key] = Op{Kind: Delete, Key: key}
			s.j.lazyBytes += opSize(s.name, key, nil)
		}
	}
	clear(s.held)
	s.j.dirty[s] = struct{}{}
	s.j.armFlush()
}

// flush writes the lazy changes as a record of their own; false if there is no
// room for it, then they stay. Callers hold the lock.
func (j *Journal) flush(t tier) bool {
	changes := j.lazyChanges(nil)
	if len(changes) == 0 {
		return true
	}
	if j.room(changesSize(changes), t) != nil {
		return false
	}
	// room releases the lock for new data only, so these are still the changes.
	j.logChanges(changes)
	j.clearLazy()
	return true
}

// lazyChanges adds the lazy changes of all spaces to changes.
func (j *Journal) lazyChanges(changes []change) []change {
	for space := range j.dirty {
		for key, op := range space.lazy {
			changes = append(changes, change{space: space, kind: op.Kind, key: key, value: op.Value})
		}
	}
	return changes
}

func (j *Journal) clearLazy() {
	for space := range j.dirty {
		clear(space.lazy)
	}
	clear(j.dirty)
	j.lazyBytes = 0
}
