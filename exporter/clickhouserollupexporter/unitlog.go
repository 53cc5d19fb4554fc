package clickhouserollupexporter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/trackwayhq/trackway/internal/groupcommit"
)

// unitsKey is the key of the unit log in the queue's storage. Its value is
//
//	version u8 | count uvarint | units
//	unit:      id [8] | window varint | state u8 | tables | pieces
//	tables:    count uvarint | count × (length uvarint, name); 0 means all
//	pieces:    count uvarint | count × (delivery id [16], path)
//	path:      length u8 | bits u32
//
// with fixed integers in little endian. A path leads from the part that a delivery
// has in the window to the piece of it that is in the unit: a bit for each time
// that it was halved, 0 for the first half, the first halving in the lowest bit.
const (
	unitsKey     = "units"
	unitsVersion = 1
)

// unitState says what is known of a unit.
type unitState uint8

const (
	// planned units may be in the store, wholly, in part or not at all.
	planned unitState = 1
	// stored units are in the store, or in the dead-letter file, and some delivery
	// of theirs may still be in the queue.
	stored unitState = 2
)

// path is how a piece came of a delivery's part by halving.
type path struct {
	len  uint8
	bits uint32
}

// maxPath is more halvings than a delivery has items.
const maxPath = 32

func (p path) half(second bool) path {
	if second {
		p.bits |= 1 << p.len
	}
	p.len++
	return p
}

// pieceRef names a piece.
type pieceRef struct {
	delivery deliveryID
	path     path
}

// loggedUnit is a unit as it is written down.
type loggedUnit struct {
	id     uint64
	window int64
	state  unitState
	tables []string // nil means all
	pieces []pieceRef
}

// unitLog writes down which deliveries make up a unit, in which order, before the
// unit is inserted; and that it is stored, before the first of its deliveries is
// deleted from the queue. After a crash the same units are put together again, so
// that the store knows their tokens, and what had been stored is not put into
// others.
//
// It is one value, written anew at each change: there are few units in it, those
// in flight and those whose deliveries are not all deleted.
type unitLog struct {
	mu     sync.Mutex
	client storage.Client
	units  []*loggedUnit
	alive  map[deliveryID][]*loggedUnit // units by the deliveries that are in the queue
	left   map[*loggedUnit]int          // how many such deliveries a unit has
}

func newUnitLog() *unitLog {
	return &unitLog{alive: map[deliveryID][]*loggedUnit{}, left: map[*loggedUnit]int{}}
}

// open reads the log.
func (l *unitLog) open(ctx context.Context, client storage.Client) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.client = client
	value, err := client.Get(ctx, unitsKey)
	if err != nil {
		return fmt.Errorf("unit log: %w", err)
	}
	units, err := decodeUnits(value)
	if err != nil {
		return fmt.Errorf("unit log: %w", err)
	}
	for _, u := range units {
		l.add(u)
	}
	return nil
}

func (l *unitLog) add(u *loggedUnit) {
	if slices.Contains(l.units, u) {
		return // a change that is repeated because it is not known to be durable
	}
	l.units = append(l.units, u)
	for _, p := range u.pieces {
		if !slices.Contains(l.alive[p.delivery], u) {
			l.alive[p.delivery] = append(l.alive[p.delivery], u)
			l.left[u]++
		}
	}
}

func (l *unitLog) remove(u *loggedUnit) {
	l.units = slices.DeleteFunc(l.units, func(o *loggedUnit) bool { return o == u })
	for _, p := range u.pieces {
		rest := slices.DeleteFunc(l.alive[p.delivery], func(o *loggedUnit) bool { return o == u })
		if len(rest) == 0 {
			delete(l.alive, p.delivery)
		} else {
			l.alive[p.delivery] = rest
		}
	}
	delete(l.left, u)
}

// plan writes a unit down, durably.
func (l *unitLog) plan(ctx context.Context, u *loggedUnit) error {
	return l.replace(ctx, nil, u)
}

// replace writes units down in the place of one, which may be nil, durably. When
// it fails the log is as it was.
func (l *unitLog) replace(ctx context.Context, old *loggedUnit, units ...*loggedUnit) error {
	ctx, ticket := groupcommit.WithTicket(groupcommit.WithReserve(ctx))
	l.mu.Lock()
	for _, u := range units {
		l.add(u)
	}
	err := l.write(ctx, old)
	if err != nil {
		for _, u := range units {
			l.remove(u)
		}
	} else if old != nil {
		l.remove(old)
	}
	l.mu.Unlock()
	if err == nil {
		err = ticket.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("writing down a unit: %w", err)
	}
	return nil
}

// done says that a unit is stored. It does not wait: the storage keeps the order
// of changes, so no delivery is deleted before this is known for good.
func (l *unitLog) done(ctx context.Context, u *loggedUnit) error {
	ctx, _ = groupcommit.WithTicket(groupcommit.WithReserve(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	u.state = stored
	if err := l.write(ctx, nil); err != nil {
		u.state = planned
		return fmt.Errorf("writing down that a unit is stored: %w", err)
	}
	return nil
}

// deleted says that a delivery is no longer in the queue. Units that are stored
// and have no delivery left disappear from the log when it is next written.
func (l *unitLog) deleted(id deliveryID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	units := l.alive[id]
	delete(l.alive, id)
	for _, u := range units {
		l.left[u]--
		if l.left[u] == 0 && u.state == stored {
			l.remove(u)
		}
	}
}

// flush writes the log without what is over.
func (l *unitLog) flush(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client == nil {
		return nil
	}
	ctx, _ = groupcommit.WithTicket(groupcommit.WithReserve(ctx))
	return l.write(ctx, nil)
}

// write writes the log, without one of its units. Callers hold the lock.
func (l *unitLog) write(ctx context.Context, without *loggedUnit) error {
	value := []byte{unitsVersion}
	n := len(l.units)
	if without != nil {
		n--
	}
	value = binary.AppendUvarint(value, uint64(n))
	for _, u := range l.units {
		if u != without {
			value = u.appendTo(value)
		}
	}
	return l.client.Batch(ctx, storage.SetOperation(unitsKey, value))
}

func (u *loggedUnit) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, u.id)
	b = binary.AppendVarint(b, u.window)
	b = append(b, byte(u.state))
	b = binary.AppendUvarint(b, uint64(len(u.tables)))
	for _, t := range u.tables {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	b = binary.AppendUvarint(b, uint64(len(u.pieces)))
	for _, p := range u.pieces {
		b = append(b, p.delivery[:]...)
		b = append(b, p.path.len)
		b = binary.LittleEndian.AppendUint32(b, p.path.bits)
	}
	return b
}

var errUnits = errors.New(`the value of key "units" is not one that this release writes: go back to the release that wrote it, or run trackway journal salvage`)

// decodeUnits reads the log's value; nil is an empty log.
func decodeUnits(b []byte) ([]*loggedUnit, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if b[0] != unitsVersion {
		return nil, fmt.Errorf("version %d: %w", b[0], errUnits)
	}
	r := unitsReader{b: b[1:]}
	var units []*loggedUnit
	for range r.count(11) {
		u := &loggedUnit{id: binary.LittleEndian.Uint64(r.take(8))}
		u.window = r.varint()
		u.state = unitState(r.take(1)[0])
		for range r.count(1) {
			u.tables = append(u.tables, string(r.take(r.count(1))))
		}
		for range r.count(21) {
			p := pieceRef{delivery: deliveryID(r.take(16))}
			p.path.len = r.take(1)[0]
			p.path.bits = binary.LittleEndian.Uint32(r.take(4))
			r.bad = r.bad || p.path.len > maxPath
			u.pieces = append(u.pieces, p)
		}
		if r.bad || u.state != planned && u.state != stored {
			return nil, errUnits
		}
		units = append(units, u)
	}
	if r.bad || len(r.b) != 0 {
		return nil, errUnits
	}
	return units, nil
}

// unitsReader reads the log's value; once bad it gives zeros.
type unitsReader struct {
	b   []byte
	bad bool
}

var zeros [256]byte

// take gives the next n bytes.
func (r *unitsReader) take(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return zeros[:min(n, len(zeros))]
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// count reads a number of things that take at least size bytes each.
func (r *unitsReader) count(size int) int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > uint64(len(r.b)/size) {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *unitsReader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}
