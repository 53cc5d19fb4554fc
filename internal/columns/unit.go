package columns

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// Insert is one INSERT of a unit, with the same token and bytes whenever the unit is
// encoded.
type Insert struct {
	// Table is the table's name, without a database.
	Table string
	// Columns are the columns' names, as an INSERT lists them.
	Columns string
	// Token is the deduplication token, unit-table.
	Token string
	// Rows is the number of rows in Body.
	Rows int
	// Body is one block in the Native format, as HTTP has it.
	Body []byte
}

// Encoder makes the INSERTs of units. It keeps its memory from one unit to the next,
// and is not safe for concurrent use. The zero value is ready.
type Encoder struct {
	dict      dictionary
	remaps    []uint32
	sources   [tableCount][]source
	keys      []sortKey
	refs, tmp []ref
	stretches []stretch
	native    native
	sorted    [tableCount]sorted
	derived   derived
	bodies    [tableCount][]byte
}

// maxBlockRows bounds the rows of one INSERT: what the store is to take as one block
// must be below its min_insert_block_size_rows of 1,048,449.
const maxBlockRows = 1<<20 - 1<<10

// Unit makes the INSERTs of a unit from its parts, which must be of one window: the
// same parts in the same order give the same bytes. The bodies are valid until the
// next call.
func (e *Encoder) Unit(id uint64, parts []*Part) ([]Insert, error) {
	if err := e.gather(parts); err != nil {
		return nil, fmt.Errorf("unit %016x: %w", id, err)
	}
	var out []Insert
	for t := range tableCount {
		n := 0
		for _, s := range e.sources[t] {
			n += s.rows.len()
		}
		e.sorted[t].reset()
		if n == 0 {
			continue
		}
		if n > maxBlockRows {
			return nil, fmt.Errorf("unit %016x, table %s: %d rows, at most %d fit one block", id, t, n, maxBlockRows)
		}
		e.native.start(&e.dict, e.bodies[t][:0], n)
		e.table(t, id)
		e.bodies[t] = e.native.body
		out = append(out, Insert{Table: t.String(), Columns: insertColumns[t], Token: Token(id, t.String()), Rows: n, Body: e.native.body})
	}
	return e.derive(out, id), nil
}

// Token is the deduplication token of a unit's insert into a table.
func Token(unit uint64, table string) string {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], unit)
	return hex.EncodeToString(id[:]) + "-" + table
}

// gather collects the rows of the parts by table, and their dictionaries into one.
func (e *Encoder) gather(parts []*Part) error {
	e.dict.reset()
	for t := range e.sources {
		e.sources[t] = e.sources[t][:0]
	}
	remaps := e.remaps[:0]
	var in *parsed
	var remap []uint32
	for _, p := range parts {
		if p.window != parts[0].window {
			return errors.New("parts of different windows of days")
		}
		if p.in != in { // halves and windows of one batch share a dictionary
			in = p.in
			from := len(remaps)
			remaps = slices.Grow(remaps, len(in.dict))
			for _, s := range in.dict {
				remaps = append(remaps, e.dict.lookup(s))
			}
			remap = remaps[from:]
		}
		for t, v := range p.tables {
			if v != nil && p.rows[t].len() > 0 {
				e.sources[t] = append(e.sources[t], source{v, p.rows[t], in.width, remap})
			}
		}
	}
	e.remaps = remaps
	return nil
}

// table writes the block of one of the tables that records go to.
func (e *Encoder) table(t tableID, unit uint64) {
	n, sources, sorted := &e.native, e.sources[t], &e.sorted[t]
	order := e.order(sources)
	sorted.rows = n.rows
	n.block(len(tableColumns[t]) + 1)
	for _, c := range tableColumns[t] {
		info := &columnInfos[c]
		n.column(info.name, info.typ)
		sorted.at[c] = len(n.body)
		switch info.shape {
		case fixed:
			n.fixed(c, info.width, sources, order)
		case lowCard:
			n.lowCardPrefix()
			n.collect(c, sources, order)
			if deriving[c] {
				sorted.idx[c] = append(sorted.idx[c][:0], n.idx...)
			}
			n.lowCard(n.idx)
		case text:
			n.textColumn(c, sources, order)
		case pairs, list:
			n.entries(c, info.shape, sources, order)
			if deriving[c] {
				sorted.idx[c] = append(sorted.idx[c][:0], n.idx...)
			}
			n.lowCard(n.idx)
			if c == cCorrelation {
				sorted.values = len(n.body)
			}
			if info.shape == pairs {
				n.entryValues(sources, order)
			}
		}
	}
	n.column("unit", "UInt64")
	n.repeat64(unit)
	sorted.body = n.body
}
