package deadletter

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// Entry is one item, or a few that could not be told apart, that the store refused.
type Entry struct {
	// ID names the entry: 1 to 64 of 0-9, a-z and -. Write of an id that is there
	// already changes nothing, so a caller that repeats itself after a crash gives
	// the same id; an empty one is replaced by a random one.
	ID string `json:"id"`
	// Time of the refusal.
	Time    time.Time `json:"time"`
	Project string    `json:"project"`
	// Reason is what the store said; Code its exception code, 0 if there is none.
	Reason string `json:"reason"`
	Code   int    `json:"code,omitempty"`
	// Table is the first that refused the item; Tables are all that do not have it,
	// nil if none has.
	Table  string   `json:"table,omitempty"`
	Tables []string `json:"tables,omitempty"`
	// Unit is the unit of insert the item was in.
	Unit uint64 `json:"unit,omitempty,string"`
	// Items is how many items the payload holds, Minute when they were received, in
	// minutes since 1970: the delivery ledger counts them there.
	Items  int   `json:"items"`
	Minute int64 `json:"minute,omitempty"`
	// Payload is the encoded item; List leaves it out.
	Payload []byte `json:"-"`
}

// Listed is an entry without its payload, and where it lies.
type Listed struct {
	Entry
	// Bytes of the payload.
	Bytes  int64  `json:"bytes"`
	File   string `json:"file"`
	Offset int64  `json:"offset"`
}

// Damage is a place that cannot be read as an entry.
type Damage struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// Error names file and offset, and what to do.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s at offset %d: %s (%d bytes): the disk has lost a dead letter; `trackway deadletter drop --damaged` forgets the place", d.File, d.Offset, d.Reason, d.Bytes)
}

const maxIDLen = 64

func validID(id string) error {
	if id == "" || len(id) > maxIDLen {
		return fmt.Errorf("id: want 1 to %d characters, got %d", maxIDLen, len(id))
	}
	for _, c := range id {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != '-' {
			return fmt.Errorf("id: want 0-9, a-z and -, got %q", id)
		}
	}
	return nil
}

func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
