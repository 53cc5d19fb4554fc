package journal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// OpKind is what an operation does.
type OpKind uint8

// Kinds of operations; the numbers of Set and Delete are part of the format.
const (
	Get OpKind = iota
	Set
	Delete
)

// Op is an operation on a key. The result of a Get is put into Value: nil for an
// absent key, otherwise memory shared with the journal that must not be written to.
type Op struct {
	Kind  OpKind
	Key   string
	Value []byte
}

// Durability says when an operation's effect, which is seen at once, may become
// durable.
type Durability uint8

const (
	// Now appends a record at once, with everything put off before.
	Now Durability = iota
	// Lazy puts the operations off until the next record of the journal, whose part
	// they become, or until the flush interval has passed. A crash forgets them
	// with all that came after them, so the state is one that has been.
	Lazy
	// NowFromReserve is Now for what has to be written before room can be freed: it
	// may use the segments that new data leaves free.
	NowFromReserve
	// AfterReplacement is for deletes only: they are held back until the space
	// releases them, and a held key goes in the same record as the Set of an
	// equal value under another key. So a value that is moved by deleting it first
	// and setting it later is never absent.
	AfterReplacement
)

// Space is a set of keys with one owner. Its methods may be called concurrently.
type Space struct {
	j    *Journal
	name string
	open bool

	logged map[string]*entry // what the appended records say
	lazy   map[string]Op     // changes not yet appended
	held   map[string][]byte // keys whose delete is held back, and their values
}

// Space opens the space of that name; ErrInUse if it is open.
func (j *Journal) Space(name string) (*Space, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return nil, err
	}
	s := j.space(name)
	if s.open {
		return nil, fmt.Errorf("%q: %w", name, ErrInUse)
	}
	s.open = true
	return s, nil
}

func (j *Journal) space(name string) *Space {
	s, ok := j.spaces[name]
	if !ok {
		s = &Space{j: j, name: name, logged: map[string]*entry{}, lazy: map[string]Op{}, held: map[string][]byte{}}
		j.spaces[name] = s
	}
	return s
}

// Spaces names the spaces that hold keys, sorted.
func (j *Journal) Spaces() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var names []string
	for name, s := range j.spaces {
		if len(s.logged)+len(s.lazy) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Keys lists the keys that have a value, sorted.
func (s *Space) Keys() []string {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	var keys []string
	for key := range s.logged {
		if _, ok := s.lazy[key]; !ok && !s.isHeld(key) {
			keys = append(keys, key)
		}
	}
	for key, op := range s.lazy {
		if op.Kind == Set && !s.isHeld(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (s *Space) isHeld(key string) bool {
	_, ok := s.held[key]
	return ok
}

// Apply does all operations, in their order and as a whole, or none of them, and
// returns the sequence to Wait for. It does not wait for a sync. It fails with
// ErrFull or ErrTooLarge and then changed nothing; ErrFailed and ErrClosed are for
// good.
func (s *Space) Apply(ops []Op, d Durability) (uint64, error) {
	return s.ApplyWith(ops, d, nil)
}

// ApplyWith is Apply with changes of other spaces that become part of the same
// record: durable with the operations, or not at all. With some, Lazy operations
// are appended at once too.
func (s *Space) ApplyWith(ops []Op, d Durability, also []Also) (uint64, error) {
	j := s.j
	for _, a := range also {
		if a.Space.j != j {
			return 0, fmt.Errorf("space %q: a change of space %q, which is in another journal, cannot be in the same record", s.name, a.Space.name)
		}
	}
	j.mu.Lock()
	reads, err := s.apply(ops, d, also)
	seq := j.lastSeq
	j.mu.Unlock()
	if rerr := j.load(reads); err == nil {
		err = rerr
	}
	return seq, err
}

func (s *Space) apply(ops []Op, d Durability, also []Also) ([]read, error) {
	j := s.j
	if err := j.usable(); err != nil {
		return nil, err
	}
	if !s.open {
		return nil, fmt.Errorf("space %q: %w", s.name, ErrClosed)
	}
	changed := slices.ContainsFunc(ops, func(op Op) bool { return op.Kind != Get })
	switch {
	case !changed && len(also) == 0:
		return s.gets(ops), nil
	case d == AfterReplacement && len(also) == 0:
		return s.hold(ops)
	case d == AfterReplacement:
		return nil, fmt.Errorf("space %q: what is held back cannot share a record", s.name)
	case d == Now:
		if len(s.held) > 0 {
			return s.applyNow(ops, also, j.roomToMove)
		}
		return s.applyNow(ops, also, roomFor(j, tierPut))
	case d == NowFromReserve, len(also) > 0:
		reads, err := s.applyNow(ops, also, roomFor(j, tierFlush))
		if errors.Is(err, errNoRoom) {
			j.stats.Refused++
			err = ErrFull
		}
		return reads, err
	case j.opts.Sync == SyncEach:
		if reads, err := s.applyNow(ops, nil, roomFor(j, tierFlush)); !errors.Is(err, errNoRoom) {
			return reads, err
		}
	}
	return s.applyLazy(ops)
}

func roomFor(j *Journal, t tier) func(int64) error {
	return func(size int64) error { return j.room(size, t) }
}

// applyNow appends the operations with everything put off before.
func (s *Space) applyNow(ops []Op, also []Also, room func(size int64) error) ([]read, error) {
	j := s.j
	alsoSize := sizeOfAlso(also)
	var changes []change
	for {
		changes = s.changes(ops)
		size := changesSize(changes) + alsoSize
		if align(size) > j.maxRecord() && j.lazyBytes > 0 {
			if !j.flush(tierFlush) {
				return nil, ErrFull
			}
			continue
		}
		if err := room(size); err != nil {
			if errors.Is(err, ErrFull) {
				j.stats.Refused++
			}
			return nil, err
		}
		// room may have let others in, who put off more.
		if again := s.changes(ops); changesSize(again)+alsoSize <= size {
			changes = again
			break
		}
	}
	reads := s.gets(ops)
	for _, c := range changes {
		if c.space == s {
			delete(s.held, c.key)
		}
	}
	for _, a := range also {
		changes = append(changes, a.change())
	}
	j.logChanges(changes)
	j.clearLazy()
	return reads, nil
}

// changes are what a record has to hold: the lazy changes of all spaces, the
// deletes of held keys whose value moves, and the operations.
func (s *Space) changes(ops []Op) []change {
	changes := s.j.lazyChanges(make([]change, 0, len(ops)+2))
	var moved []string
	for _, op := range ops {
		if op.Kind == Set && len(s.held) > 0 {
			if key, ok := s.heldAs(op.Value, moved); ok {
				moved = append(moved, key)
				changes = append(changes, change{space: s, kind: Delete, key: key})
			}
		}
	}
	for _, op := range ops {
		if op.Kind != Get {
			changes = append(changes, change{space: s, kind: op.Kind, key: op.Key, value: op.Value})
		}
	}
	return changes
}

// heldAs finds a held key with this value that is not among those taken.
func (s *Space) heldAs(value []byte, taken []string) (string, bool) {
	for key, held := range s.held {
		if len(held) == len(value) && bytes.Equal(held, value) && !slices.Contains(taken, key) {
			return key, true
		}
	}
	return "", false
}

// forget takes a key's logged value out of the index.
func (s *Space) forget(key string) {
	e, ok := s.logged[key]
	if !ok {
		return
	}
	e.seg.live -= e.cost
	s.j.cache.drop(e)
	delete(s.logged, key)
}

// Close releases what is held back, appends what is put off, and gives the space
// free for another owner. It returns the sequence to Wait for.
func (s *Space) Close() uint64 {
	j := s.j
	j.mu.Lock()
	defer j.mu.Unlock()
	s.open = false
	if j.usable() == nil {
		s.release()
		j.flush(tierFlush)
	}
	return j.lastSeq
}
