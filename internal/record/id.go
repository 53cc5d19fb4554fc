package record

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"time"
)

// ItemID identifies one item (a span or a log record as it arrived) across
// redelivery. It is assigned once, by the exporter, before the item is queued.
type ItemID [16]byte

// NewItemID returns a random item id.
func NewItemID() ItemID {
	var id ItemID
	_, _ = rand.Read(id[:]) // crypto/rand.Read never fails: it aborts the process instead
	return id
}

// RID derives the row id of one row of an item. One item can yield several rows
// (a request and its exception event), told apart by kind and ordinal.
func (id ItemID) RID(kind Kind, ordinal int) uint64 {
	var tail [9]byte
	tail[0] = byte(kind)
	binary.LittleEndian.PutUint64(tail[1:], uint64(ordinal))
	h := fnv.New64a()
	_, _ = h.Write(id[:])
	_, _ = h.Write(tail[:])
	return h.Sum64()
}

// ID is the identity of a record: its time and its row id. The pair is the
// primary-key lookup and the cursor of every listing.
type ID struct {
	Time time.Time
	RID  uint64
}

const idLen = 32 // 16 hex digits of nanoseconds, 16 of the row id

// String gives the form the API uses: hex(ts in ns) followed by hex(rid), 32
// lower-case hex digits in all.
func (id ID) String() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(id.Time.UnixNano()))
	binary.BigEndian.PutUint64(b[8:], id.RID)
	return hex.EncodeToString(b[:])
}

// ParseID reads the form that String writes.
func ParseID(s string) (ID, error) {
	if len(s) != idLen {
		return ID{}, fmt.Errorf("record id %q: want %d hex digits, got %d characters", s, idLen, len(s))
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return ID{}, fmt.Errorf("record id %q: want %d hex digits: %w", s, idLen, err)
	}
	return ID{
		Time: time.Unix(0, int64(binary.BigEndian.Uint64(b[:8]))).UTC(),
		RID:  binary.BigEndian.Uint64(b[8:]),
	}, nil
}
