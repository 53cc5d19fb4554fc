package journal

import "fmt"

// Also is a change that shares the record of other operations: a counter of what
// they store, say, that a crash must not part from it.
type Also struct {
	Space *Space
	Key   string
	// MaxBytes is the most that Value appends.
	MaxBytes int
	// Value appends the new value to dst, or says that the key is to be deleted. It
	// is called once, when it is certain that the operations are done, and in the
	// order in which records are appended; so it may give a running total. It holds
	// the journal's lock: it must not call the journal, nor wait.
	Value func(dst []byte) (value []byte, keep bool)
}

// change is what the record has to hold.
func (a Also) change() change {
	value, keep := a.Value(make([]byte, 0, a.MaxBytes))
	if len(value) > a.MaxBytes {
		// Room was made for MaxBytes only; more could overrun the segment.
		panic(fmt.Sprintf("journal: a value of %d bytes for key %q of space %q, said to be %d at most", len(value), a.Key, a.Space.name, a.MaxBytes))
	}
	if !keep {
		return change{space: a.Space, kind: Delete, key: a.Key}
	}
	return change{space: a.Space, kind: Set, key: a.Key, value: value}
}

func sizeOfAlso(also []Also) int64 {
	var size int64
	for _, a := range also {
		size += opSize(a.Space.name, a.Key, nil) + int64(a.MaxBytes) + 10
	}
	return size
}
