package clickhouserollupexporter

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"

	"github.com/trackwayhq/trackway/internal/columns"
)

// deliveryID names a queue item for good: the queue gives items new keys when it
// recovers, units of insert name them by this.
type deliveryID [16]byte

func newDeliveryID() (id deliveryID) {
	_, _ = rand.Read(id[:]) // never fails: it aborts the process instead
	return id
}

func (id deliveryID) String() string { return hex.EncodeToString(id[:]) }

// A queue item is
//
//	version u8 | delivery id [16] | items u32 | minute u32 | the encoding of a columns.Batch
//
// with integers in little endian; the minute, since 1970, is that of the offer. It
// is written once and never changed: what is
// put back into the queue after a restart is the bytes that were read from it.
const (
	itemVersion = 1
	itemHead    = 1 + 16 + 4 + 4
)

// A hole is what the queue is given for an item that the storage refused: its
// version and, as in an item's head, the number of its items; then its size.
// Holes are made in memory and never stored.
const (
	holeVersion = 0
	holeSize    = itemHead + 8
)

// appendItem encodes a batch as a queue item.
func appendItem(dst []byte, id deliveryID, minute int64, b *columns.Batch) []byte {
	dst = append(dst, itemVersion)
	dst = append(dst, id[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.Items()))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(minute))
	return b.AppendTo(dst)
}

// appendHole encodes a hole for a request that was refused.
func appendHole(dst []byte, r *request) []byte {
	dst = append(dst, holeVersion)
	dst = append(dst, r.id[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(r.items))
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	return binary.LittleEndian.AppendUint64(dst, uint64(r.size))
}

var (
	errNoValue   = errors.New("the queue holds no value for an item it counted")
	errNoVersion = fmt.Errorf("not a queue item of version %d", itemVersion)
)

// itemID reads the delivery id from an item's head.
func itemID(data []byte) (deliveryID, error) {
	switch {
	case len(data) == 0:
		return deliveryID{}, errNoValue
	case len(data) < itemHead || data[0] != itemVersion:
		return deliveryID{}, errNoVersion
	}
	return deliveryID(data[1:17]), nil
}

// itemMinute reads the minute of the offer from an item's head.
func itemMinute(data []byte) int64 { return int64(binary.LittleEndian.Uint32(data[21:])) }

// encoding is what the persistent queue turns requests into bytes with, and back.
// Both are called under the queue's lock, so neither looks at the batch.
type encoding struct {
	// absent is called where there is no value; the queue then forgets the item.
	absent func()
}

// Marshal gives the bytes that the request holds.
func (encoding) Marshal(_ context.Context, r xexporterhelper.Request) ([]byte, error) {
	return r.(*request).data, nil
}

// Unmarshal gives a request that holds the bytes. Bytes that are no item are one
// too, so that the queue keeps them until they are among the dead letters.
func (e encoding) Unmarshal(data []byte) (context.Context, xexporterhelper.Request, error) {
	ctx := context.Background()
	if len(data) == holeSize && data[0] == holeVersion {
		return ctx, &request{
			hole: true, id: deliveryID(data[1:17]),
			items: int(binary.LittleEndian.Uint32(data[17:])), size: int(binary.LittleEndian.Uint64(data[itemHead:])),
		}, nil
	}
	if len(data) == 0 {
		e.absent()
		return ctx, nil, errNoValue
	}
	id, err := itemID(data)
	if err != nil {
		return ctx, &request{items: 1, size: len(data), data: data, unreadable: err}, nil //nolint:nilerr // the request carries it to the dead letters
	}
	return ctx, &request{
		id: id, items: int(binary.LittleEndian.Uint32(data[17:])), minute: itemMinute(data), size: len(data), data: data,
	}, nil
}
