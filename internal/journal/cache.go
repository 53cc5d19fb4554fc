package journal

// entry is where a key's value lies.
type entry struct {
	seg     *segment
	rec     int64  // offset of the record in the segment
	recSize uint32 // bytes of the record
	at      uint32 // offset of the value in the record
	size    uint32 // bytes of the value
	cost    int64  // what the value adds to the segment's live bytes
	seq     uint64 // of the record
	value   []byte // nil when it must be read from the segment
	held    int64  // what the value takes in the cache
	since   int64  // when the key got the value, in s since 1970; after a restart, that
}

// cache keeps the values written last in memory. Values not yet in a file are
// never dropped. Guarded by the journal's lock.
type cache struct {
	limit int64
	bytes int64
	queue []*entry // in the order of their records, dead ones among them
	dead  int
}

// copyBelow is the size below which a value is copied, so that a small value that
// lives long does not keep a record in memory.
const copyBelow = 4 << 10

func (c *cache) add(e *entry, value []byte, recordSize int64) {
	if e.size == 0 {
		return
	}
	e.value, e.held = value, recordSize
	if len(value) < copyBelow || int64(len(value)) < recordSize/2 {
		e.value, e.held = append(make([]byte, 0, len(value)), value...), int64(len(value))
	}
	c.bytes += e.held
	c.queue = append(c.queue, e)
}

// drop forgets a value that nobody will ask for again.
func (c *cache) drop(e *entry) {
	if e.value == nil {
		return
	}
	c.bytes -= e.held
	e.value, e.held = nil, 0
	c.dead++
	if c.dead > 1024 && c.dead > len(c.queue)/2 {
		kept := c.queue[:0]
		for _, e := range c.queue {
			if e.value != nil {
				kept = append(kept, e)
			}
		}
		clear(c.queue[len(kept):])
		c.queue, c.dead = kept, 0
	}
}

// evict makes the cache fit its limit by dropping the oldest values that can be
// read from a file, those of records up to written.
func (c *cache) evict(written uint64) {
	n := 0
	for ; n < len(c.queue); n++ {
		e := c.queue[n]
		if e.value == nil {
			c.dead--
			continue
		}
		if c.bytes <= c.limit || e.seq > written {
			break
		}
		c.bytes -= e.held
		e.value, e.held = nil, 0
	}
	if n > 0 {
		clear(c.queue[:n])
		c.queue = c.queue[n:]
	}
}
