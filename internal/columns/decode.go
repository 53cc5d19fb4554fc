package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// parsed is a checked encoding.
type parsed struct {
	dict  [][]byte
	width int // of indices
	parts []*Part
}

// view is an encoded column.
type view struct {
	form   uint8
	data   []byte // numbers, strings, values of a map
	idx    []byte // indices, keys of a map, items of an array
	counts []byte
}

// tableView is the encoded rows of one table.
type tableView struct {
	n     int
	cols  [columnCount]view
	items view // in constant form data is the difference
}

// parse checks an encoding and gives views of it.
func parse(data []byte) (*parsed, error) {
	r := &reader{data: data}
	p, where := r.batch()
	if r.err == nil && r.off != len(data) {
		r.fail(fmt.Errorf("%d bytes too many", len(data)-r.off))
		where = "end"
	}
	if r.err != nil {
		return nil, fmt.Errorf("encoded batch of %d bytes, %s, at byte %d: %w", len(data), where, r.off, r.err)
	}
	return p, nil
}

func (r *reader) batch() (*parsed, string) {
	if v := r.byte(); r.err == nil && v != Version {
		r.fail(fmt.Errorf("want %d, got %d: it was written by another release", Version, v))
	}
	if r.err != nil {
		return nil, "version"
	}
	n := r.uvarint()
	if n == 0 || n > len(r.data) {
		r.fail(fmt.Errorf("%d entries", n))
		return nil, "dictionary"
	}
	p := &parsed{dict: make([][]byte, n), width: indexWidth(n)}
	for i := range p.dict {
		p.dict[i] = r.blob()
	}
	if len(p.dict[0]) != 0 {
		r.fail(errors.New("entry 0 is not empty"))
	}
	if r.err != nil {
		return nil, "dictionary"
	}
	n = r.uvarint()
	if n > len(r.data) {
		r.fail(fmt.Errorf("%d parts", n))
	}
	for i := range n {
		part, where := r.part(p)
		if i > 0 && r.err == nil && part.window <= p.parts[i-1].window {
			r.fail(errors.New("windows are not in ascending order"))
		}
		if r.err != nil {
			return nil, fmt.Sprintf("part %d, %s", i, where)
		}
		p.parts = append(p.parts, part)
	}
	return p, "parts"
}

func (r *reader) part(in *parsed) (*Part, string) {
	begin := r.off
	p := &Part{in: in, window: r.varint()}
	n := r.uvarint()
	for i := 0; i < n && r.err == nil; i++ {
		var one run
		one.project = r.index(in)
		one.n = r.uvarint()
		one.counted = r.byte() == 1
		p.items.hi += one.n
		p.runs = append(p.runs, one)
		if p.items.hi > len(r.data) {
			r.fail(fmt.Errorf("%d items", p.items.hi))
		}
	}
	if r.err != nil {
		return p, "items"
	}
	for t := range tableCount {
		n := r.uvarint()
		if n > len(r.data) {
			r.fail(fmt.Errorf("%d rows", n))
		}
		if n == 0 || r.err != nil {
			continue
		}
		v := &tableView{n: n}
		p.tables[t] = v
		p.rows[t].hi = n
		for _, c := range tableColumns[t] {
			r.column(&v.cols[c], &columnInfos[c], in, n)
			if r.err != nil {
				return p, fmt.Sprintf("table %s, column %s", t, columnInfos[c].name)
			}
		}
		if r.itemNumbers(v, p.items.hi); r.err != nil {
			return p, fmt.Sprintf("table %s, items", t)
		}
	}
	p.size = r.off - begin
	return p, "rows"
}

// index reads one index.
func (r *reader) index(in *parsed) uint32 {
	b := r.bytes(in.width)
	r.indices(in, b)
	if r.err != nil {
		return 0
	}
	return indexAt(b, in.width, 0)
}

func indexAt(idx []byte, width, i int) uint32 {
	switch width {
	case 1:
		return uint32(idx[i])
	case 2:
		return uint32(binary.LittleEndian.Uint16(idx[2*i:]))
	}
	return binary.LittleEndian.Uint32(idx[4*i:])
}

// indices checks that indices are within the dictionary.
func (r *reader) indices(in *parsed, idx []byte) {
	most := uint32(0)
	switch in.width {
	case 1:
		for _, i := range idx {
			most = max(most, uint32(i))
		}
	case 2:
		for ; len(idx) >= 2; idx = idx[2:] {
			most = max(most, uint32(binary.LittleEndian.Uint16(idx)))
		}
	default:
		for ; len(idx) >= 4; idx = idx[4:] {
			most = max(most, binary.LittleEndian.Uint32(idx))
		}
	}
	if int(most) >= len(in.dict) {
		r.fail(fmt.Errorf("index %d into a dictionary of %d", most, len(in.dict)))
	}
}

func (r *reader) column(v *view, info *columnInfo, in *parsed, n int) {
	v.form = r.byte()
	switch v.form {
	case formDefault:
		return
	case formConstant:
		switch info.shape {
		case fixed:
			v.data = r.bytes(info.width)
		case lowCard:
			v.idx = r.bytes(in.width)
			r.indices(in, v.idx)
		default:
			r.fail(errors.New("constant form"))
		}
		return
	case formFull:
	default:
		r.fail(fmt.Errorf("unknown form %d", v.form))
		return
	}
	switch info.shape {
	case fixed:
		v.data = r.bytes(n * info.width)
	case lowCard:
		v.idx = r.bytes(n * in.width)
		r.indices(in, v.idx)
	case text:
		v.data = r.blob()
		r.texts(v.data, n)
	case pairs, list:
		entries := r.uvarint()
		v.counts = r.blob()
		r.sum(v.counts, n, entries)
		v.idx = r.bytes(entries * in.width)
		r.indices(in, v.idx)
		if info.shape == pairs {
			v.data = r.blob()
			r.texts(v.data, entries)
		}
	}
}

// texts checks that data is n strings.
func (r *reader) texts(data []byte, n int) {
	if r.err != nil {
		return
	}
	off := 0
	for i := range n {
		size, width := uvarint(data[off:])
		if width <= 0 || size > uint64(len(data)-off-width) {
			r.fail(fmt.Errorf("string %d of %d is cut short", i, n))
			return
		}
		off += width + int(size)
	}
	if off != len(data) {
		r.fail(fmt.Errorf("%d bytes behind %d strings", len(data)-off, n))
	}
}

// sum checks that data is n counts that add up to total.
func (r *reader) sum(data []byte, n, total int) {
	if r.err != nil {
		return
	}
	got := uint64(0)
	for i := range n {
		v, width := uvarint(data)
		if width <= 0 {
			r.fail(fmt.Errorf("count %d of %d is cut short", i, n))
			return
		}
		got += min(v, 1<<40)
		data = data[width:]
	}
	if len(data) != 0 || got != uint64(total) {
		r.fail(fmt.Errorf("counts of %d rows add up to %d, want %d", n, got, total))
	}
}

// itemNumbers reads the column of items, whose numbers must be below items.
func (r *reader) itemNumbers(t *tableView, items int) {
	t.items.form = r.byte()
	at := -1
	switch t.items.form {
	case formConstant:
		t.items.data = r.bytes(1)
		if r.err == nil {
			at += t.n * int(t.items.data[0])
		}
	case formFull:
		t.items.data = r.blob()
		data := t.items.data
		for range t.n {
			d, width := uvarint(data)
			if width <= 0 || d > uint64(items) {
				r.fail(errors.New("item number out of range"))
				return
			}
			at += int(d)
			if at < 0 {
				break
			}
			data = data[width:]
		}
		if len(data) != 0 {
			r.fail(errors.New("bytes behind the item numbers"))
		}
	default:
		r.fail(fmt.Errorf("unknown form %d", t.items.form))
	}
	if r.err == nil && (at < 0 || at >= items) {
		r.fail(fmt.Errorf("item %d of %d", at, items))
	}
}
