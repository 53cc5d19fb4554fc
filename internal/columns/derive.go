package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// deriving are the columns whose indices are kept for the derived tables.
var deriving = [columnCount]bool{
	cProject: true, cService: true, cName: true, cMethod: true, cRoute: true, cCorrelation: true, cFacetItems: true,
}

// sorted is a table of the unit as its block has it: the columns that derived rows
// are made of, in the order of its rows.
type sorted struct {
	rows   int
	body   []byte
	at     [columnCount]int      // where a column's values begin in body; of maps and arrays, the prefix before the offsets
	idx    [columnCount][]uint32 // indices into the unit's dictionary, of deriving columns
	values int                   // where the values of the map correlation begin
}

func (s *sorted) reset() { s.rows = 0 }

func (s *sorted) u16(c columnID, row int) uint16 {
	return binary.LittleEndian.Uint16(s.body[s.at[c]+2*row:])
}

func (s *sorted) u32(c columnID, row int) uint32 {
	return binary.LittleEndian.Uint32(s.body[s.at[c]+4*row:])
}

func (s *sorted) u64(c columnID, row int) uint64 {
	return binary.LittleEndian.Uint64(s.body[s.at[c]+8*row:])
}

// id16 gives a trace id.
func (s *sorted) id16(c columnID, row int) []byte {
	at := s.at[c] + 16*row
	return s.body[at : at+16]
}

// end gives the number of entries of a map or an array up to and with a row.
func (s *sorted) end(c columnID, row int) int {
	const prefix = 8
	return int(binary.LittleEndian.Uint64(s.body[s.at[c]+prefix+8*row:]))
}

// derived holds what derived tables are made with.
type derived struct {
	rollups    rollups
	facets     facets
	journey    journey
	traceIndex traceIndex
	bodies     [][]byte
}

// derive appends the INSERTs of the tables that are made of the unit's rows.
func (e *Encoder) derive(out []Insert, unit uint64) []Insert {
	d := &e.derived
	used := 0
	emit := func(table, columns string, rows int, write func(n *native, rows between)) {
		for block, lo := 0, 0; lo < rows; block++ {
			hi := min(lo+maxBlockRows, rows)
			if used == len(d.bodies) {
				d.bodies = append(d.bodies, nil)
			}
			e.native.start(&e.dict, d.bodies[used][:0], hi-lo)
			write(&e.native, between{lo, hi})
			d.bodies[used] = e.native.body
			used++
			token := Token(unit, table)
			if block > 0 {
				token = fmt.Sprintf("%s-%d", token, block)
			}
			out = append(out, Insert{Table: table, Columns: columns, Token: token, Rows: hi - lo, Body: e.native.body})
			lo = hi
		}
	}
	d.journey.make(e, unit)
	emit("journey", journeyColumns, len(d.journey.order), d.journey.write)
	d.traceIndex.make(e)
	emit("trace_index", traceIndexColumns, len(d.traceIndex.rows), d.traceIndex.write)
	if e.sorted[requests].rows > 0 {
		d.rollups.make(e)
		for _, r := range d.rollups.tables() {
			emit(r.table, r.columns, len(r.out), r.write)
		}
		d.facets.make(e)
		emit("facets", facetColumns, len(d.facets.out), d.facets.write)
	}
	return out
}

// distinct collects distinct entries of the unit's dictionary and ranks them by their
// bytes.
type distinct struct {
	ids  []uint32
	rank []uint32 // by entry: its place in ids, once sorted; ^0 of those not collected
}

const unranked = ^uint32(0)

func (d *distinct) reset(dict *dictionary) {
	for _, i := range d.ids {
		d.rank[i] = unranked
	}
	d.ids = d.ids[:0]
	d.grow(dict)
}

func (d *distinct) grow(dict *dictionary) {
	for len(d.rank) < dict.len() {
		d.rank = append(d.rank, unranked)
	}
}

func (d *distinct) add(i uint32) {
	if d.rank[i] == unranked {
		d.rank[i] = 0
		d.ids = append(d.ids, i)
	}
}

func (d *distinct) sort(dict *dictionary) {
	slices.SortFunc(d.ids, func(a, b uint32) int { return bytes.Compare(dict.at(a), dict.at(b)) })
	for rank, i := range d.ids {
		d.rank[i] = uint32(rank)
	}
}
