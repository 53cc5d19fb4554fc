package clickhouserollupexporter

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/internal/columns"
)

// piece is what of a delivery is in a unit: the rows of the unit's window, or of
// those one that halving led to.
type piece struct {
	ref  pieceRef
	part *columns.Part
	// minute is that in which the delivery was offered, since 1970.
	minute int64
	req    *request // who waits for it; nil for what a restart put together
}

// unit is the rows that are inserted together.
type unit struct {
	id       uint64
	window   int64
	tables   []string // inserted into; nil means all
	pieces   []piece
	rows     int
	bytes    int
	deadline time.Time // when it is closed at the latest

	// log is the unit as it is written down; nil before, and without a unit log.
	log *loggedUnit
	// done is called with what became of the unit, where no request waits for it.
	done func(error)
}

// newUnit names a unit by the second in which it was formed, in the high 32 bits,
// and chance: the store's rows carry the id, and thus when they were written.
func newUnit(window int64) *unit {
	return &unit{id: uint64(time.Now().Unix())<<32 | uint64(rand.Uint32()), window: window}
}

func (u *unit) add(p piece) {
	u.pieces = append(u.pieces, p)
	u.rows += p.part.Rows()
	u.bytes += p.part.Size()
}

// remove takes a request's piece out of the unit.
func (u *unit) remove(r *request) {
	u.pieces = slices.DeleteFunc(u.pieces, func(p piece) bool {
		if p.req != r {
			return false
		}
		u.rows -= p.part.Rows()
		u.bytes -= p.part.Size()
		return true
	})
}

// parts gives the unit's rows in their order.
func (u *unit) parts() []*columns.Part {
	parts := make([]*columns.Part, len(u.pieces))
	for i, p := range u.pieces {
		parts[i] = p.part
	}
	return parts
}

// has says whether the unit is inserted into a table.
func (u *unit) has(table string) bool {
	return u.tables == nil || slices.Contains(u.tables, table)
}

// record is the unit as it is written down.
func (u *unit) record() *loggedUnit {
	l := &loggedUnit{id: u.id, window: u.window, state: planned, tables: u.tables}
	for _, p := range u.pieces {
		l.pieces = append(l.pieces, p.ref)
	}
	return l
}

// halves splits the unit in two, for the tables that did not take it: between
// deliveries, or when it is of one, between items of that. A unit of one item
// comes back with nil.
func (u *unit) halves(tables []string) (a, b *unit) {
	first, second := u.pieces[:len(u.pieces)/2], u.pieces[len(u.pieces)/2:]
	if len(u.pieces) == 1 {
		p := u.pieces[0]
		x, y := p.part.Halves()
		if y == nil || p.ref.path.len == maxPath {
			return u, nil
		}
		first = []piece{{ref: pieceRef{p.ref.delivery, p.ref.path.half(false)}, part: x, minute: p.minute}}
		second = []piece{{ref: pieceRef{p.ref.delivery, p.ref.path.half(true)}, part: y, minute: p.minute}}
	}
	a, b = newUnit(u.window), newUnit(u.window)
	a.tables, b.tables = tables, tables
	for _, p := range first {
		a.add(p)
	}
	for _, p := range second {
		b.add(p)
	}
	return a, b
}

// follow gives the piece of a part that a path leads to; nil when there is none.
func follow(part *columns.Part, p path) *columns.Part {
	for i := range p.len {
		a, b := part.Halves()
		if b == nil {
			return nil
		}
		part = a
		if p.bits&(1<<i) != 0 {
			part = b
		}
	}
	return part
}

// finish tells everybody who waits for the unit what became of it.
func (u *unit) finish(err error) {
	for _, p := range u.pieces {
		if p.req != nil {
			p.req.partDone(err)
		}
	}
	if u.done != nil {
		u.done(err)
	}
}
