package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Reasons for which accepted items are dropped. The order is part of the stored
// form: add at the end.
var Reasons = [...]string{"other", "too_old", "no_project", "operator", "erased", "repeated"}

// reasonIndex gives the place of a reason, that of "other" for an unknown one.
func reasonIndex(reason string) int { return max(slices.Index(Reasons[:], reason), 0) }

// Counts are the sums of one project and minute, in items.
type Counts struct {
	Received   int64
	Rejected   int64
	Stored     int64
	DeadLetter int64
	Dropped    [len(Reasons)]int64
	Removed    int64
	// Rows is how many rows of requests, spans and events the units stored that were
	// formed in this minute, whenever their items were received.
	Rows [3]int64
}

// Accepted is what was received and not rejected.
func (c *Counts) Accepted() int64 { return c.Received - c.Rejected }

// DroppedItems is the sum over all reasons.
func (c *Counts) DroppedItems() (n int64) {
	for _, d := range c.Dropped {
		n += d
	}
	return n
}

// Pending is what was accepted and of which nothing else is known.
func (c *Counts) Pending() int64 {
	return c.Accepted() - c.Stored - c.DeadLetter - c.DroppedItems() - c.Removed
}

// Add adds other to c.
func (c *Counts) Add(other *Counts) {
	c.Received += other.Received
	c.Rejected += other.Rejected
	c.Stored += other.Stored
	c.DeadLetter += other.DeadLetter
	for i := range c.Dropped {
		c.Dropped[i] += other.Dropped[i]
	}
	c.Removed += other.Removed
	for i := range c.Rows {
		c.Rows[i] += other.Rows[i]
	}
}

func (c *Counts) fields() []*int64 {
	f := []*int64{&c.Received, &c.Rejected, &c.Stored, &c.DeadLetter, &c.Removed, &c.Rows[0], &c.Rows[1], &c.Rows[2]}
	for i := range c.Dropped {
		f = append(f, &c.Dropped[i])
	}
	return f
}

const (
	rowVersion = 1
	// maxRowBytes is the most a row takes in the journal.
	maxRowBytes = 1 + 2*binary.MaxVarintLen64 + 1 + (8+len(Reasons))*binary.MaxVarintLen64
)

var errRow = errors.New("not a row of the ledger")

// append encodes a row: format version, generation, version, number of counts, and
// the counts as signed varints. Counts that a later release adds are at the end.
func (r *row) append(dst []byte) []byte {
	dst = append(dst, rowVersion)
	dst = binary.AppendUvarint(dst, r.generation)
	dst = binary.AppendUvarint(dst, r.version)
	fields := r.counts.fields()
	dst = append(dst, byte(len(fields)))
	for _, f := range fields {
		dst = binary.AppendVarint(dst, *f)
	}
	return dst
}

func decodeRow(b []byte) (*row, error) {
	if len(b) == 0 || b[0] != rowVersion {
		return nil, fmt.Errorf("%w: want version %d", errRow, rowVersion)
	}
	b = b[1:]
	r := &row{}
	for _, v := range []*uint64{&r.generation, &r.version} {
		value, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errRow
		}
		*v, b = value, b[n:]
	}
	fields := r.counts.fields()
	if len(b) == 0 || int(b[0]) > len(fields) {
		return nil, fmt.Errorf("%w: more counts than this release knows", errRow)
	}
	count := int(b[0])
	b = b[1:]
	for _, f := range fields[:count] {
		value, n := binary.Varint(b)
		if n <= 0 {
			return nil, errRow
		}
		*f, b = value, b[n:]
	}
	return r, nil
}
