package columns

import (
	"cmp"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// daysPerWindow bounds the partitions that a unit of insert touches: each is a
// part of its own on disk, in every table and rollup.
const daysPerWindow = 2

// windowOf numbers the windows of daysPerWindow days since 1970.
func windowOf(t time.Time) int64 {
	const seconds = 86400 * daysPerWindow
	s := t.Unix()
	w := s / seconds
	if s%seconds < 0 {
		w--
	}
	return w
}

// Batch is the rows of one delivery, or of some that were coalesced. The zero
// value is an empty one, ready for BeginItem and Append; Reset makes it so again and
// keeps its memory. It is not safe for concurrent use while it is appended to.
type Batch struct {
	building []*building
	spare    []*building // of earlier use
	last     *building   // that the last row went to
	dict     dictionary
	items    int
	project  uint32 // of the current item
	begun    bool   // the current item has no row yet

	enc    []byte  // the encoding; empty while it is not known
	parsed *parsed // of enc, which then belongs to the parts; nil while nobody asked
}

// building is the part of one window while it is appended to.
type building struct {
	window int64
	runs   []run
	items  int // items with rows in the part
	item   int // the batch's number of the last of them
	tables [tableCount]rows
}

// run is neighbouring items of one project.
type run struct {
	project uint32
	n       int
	counted bool // they begin in this part
}

// BeginItem says that the rows appended from now on are those of the next item,
// which is the project's.
func (b *Batch) BeginItem(project string) {
	b.edit()
	b.items++
	b.project = b.dict.index(project)
	b.begun = true
}

// Append appends the row of a record of the current item. The record may be reused
// afterwards: everything is copied. Its strings must stay unchanged in memory until
// the Batch is encoded or reset, though, as those of pdata do.
func (b *Batch) Append(r *record.Record) {
	b.edit()
	p := b.last
	if w := windowOf(r.Time); p == nil || p.window != w {
		p = b.part(w)
		b.last = p
	}
	if p.items == 0 || p.item != b.items {
		p.item = b.items
		p.addItems(b.project, 1, b.begun)
		b.begun = false
	}
	t := tableOf(r.Kind)
	p.tables[t].append(t, &b.dict, r, p.items-1)
}

func (p *building) addItems(project uint32, n int, counted bool) {
	p.items += n
	if last := len(p.runs) - 1; last >= 0 && p.runs[last].project == project && p.runs[last].counted == counted {
		p.runs[last].n += n
		return
	}
	p.runs = append(p.runs, run{project, n, counted})
}

// edit makes the Batch ready to be appended to.
func (b *Batch) edit() {
	if b.dict.table == nil {
		b.dict.reset()
	}
	if len(b.enc) > 0 {
		b.forget()
	}
}

// forget drops the encoding. Its memory is used again unless parts share it.
func (b *Batch) forget() {
	b.enc = b.enc[:0]
	if b.parsed != nil {
		b.enc, b.parsed = nil, nil
	}
}

func (b *Batch) part(window int64) *building {
	i, found := slices.BinarySearchFunc(b.building, window, func(p *building, w int64) int { return cmp.Compare(p.window, w) })
	if found {
		return b.building[i]
	}
	var p *building
	if n := len(b.spare); n > 0 {
		p, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		p = &building{}
	}
	p.window, p.runs, p.items, p.item = window, p.runs[:0], 0, 0
	for t := range p.tables {
		p.tables[t].reset()
	}
	b.building = slices.Insert(b.building, i, p)
	return p
}

// Reset empties the Batch and keeps its memory. Parts that were taken of it stay
// valid.
func (b *Batch) Reset() {
	b.spare = append(b.spare, b.building...)
	b.building, b.last = b.building[:0], nil
	b.dict.reset()
	b.items, b.project, b.begun = 0, 0, false
	b.forget()
}

// Items is the number of items that rows came from.
func (b *Batch) Items() int { return b.items }

// Size is the number of bytes of the encoding, which AppendTo and Parts make use of.
func (b *Batch) Size() int { return len(b.encoded()) }

// AppendTo appends the encoding to dst. It is the same for the same rows, whether
// they were appended or decoded.
func (b *Batch) AppendTo(dst []byte) []byte {
	if len(b.enc) > 0 {
		return append(dst, b.enc...)
	}
	return b.encode(dst)
}

// encoded gives the encoding, which is the Batch's own.
func (b *Batch) encoded() []byte {
	if len(b.enc) == 0 {
		b.enc = b.encode(b.enc)
	}
	return b.enc
}

// Parts gives the Batch's rows by window of days, in ascending order. They share
// the memory of the encoding and stay valid whatever becomes of the Batch.
func (b *Batch) Parts() []*Part {
	if b.parsed == nil {
		b.parsed = b.parse()
	}
	return b.parsed.parts
}

// parse gives views of the encoding.
func (b *Batch) parse() *parsed {
	p, err := parse(b.encoded())
	if err != nil {
		panic("columns: a batch does not decode what it encodes: " + err.Error())
	}
	return p
}

// ItemsByProject calls f for each project that items belong to, with their number;
// a project may come several times.
func (b *Batch) ItemsByProject(f func(project string, items int)) {
	if len(b.building) == 0 { // decoded, or empty
		for _, p := range b.Parts() {
			p.ItemsByProject(f)
		}
		return
	}
	for _, p := range b.building {
		for _, r := range p.runs {
			if r.counted {
				f(string(b.dict.at(r.project)), r.n)
			}
		}
	}
}

// Decode reads an encoding. The Batch shares data's memory, which must not be
// changed while it or a part of it is used. What it gives is safe to use: every
// length and index has been checked. A decoded Batch cannot be appended to.
func Decode(data []byte) (*Batch, error) {
	p, err := parse(data)
	if err != nil {
		return nil, err
	}
	b := &Batch{enc: data, parsed: p}
	for _, part := range p.parts {
		b.items += part.Items()
	}
	return b, nil
}
