package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// facets makes the rows of the table facets: how many of the unit's requests had a
// value of an attribute, by hour.
type facets struct {
	cells []uint32 // by entry of the unit's dictionary: its cell in the open hour + 1
	out   []facet
	idx   []uint32
	dict  *dictionary
}

type facet struct {
	project, hour, item, field uint32
	cnt, weight                uint64
}

const facetColumns = "project, hour, field, value, cnt, weight, ttl_days"

// make adds up the unit's requests, which come by project and time.
func (f *facets) make(e *Encoder) {
	f.dict, f.out = &e.dict, f.out[:0]
	if short := e.dict.len() - len(f.cells); short > 0 {
		f.cells = append(f.cells, make([]uint32, short)...)
	}
	s := &e.sorted[requests]
	from, entry := 0, 0
	var project, hour uint32
	for row := range s.rows {
		end := s.end(cFacetItems, row)
		if entry == end {
			continue
		}
		if p, h := s.idx[cProject][row], startOf(s.u64(cTime, row), 3600); p != project || h != hour {
			f.close(from)
			from, project, hour = len(f.out), p, h
		}
		weight := uint64(s.u32(cWeight, row))
		for ; entry < end; entry++ {
			item := s.idx[cFacetItems][entry]
			i := f.cells[item]
			if i == 0 {
				f.out = append(f.out, facet{project: project, hour: hour, item: item})
				i = uint32(len(f.out))
				f.cells[item] = i
			}
			f.out[i-1].cnt++
			f.out[i-1].weight += weight
		}
	}
	f.close(from)
	f.split()
}

// close ends the hour whose cells begin at from.
func (f *facets) close(from int) {
	for _, c := range f.out[from:] {
		f.cells[c.item] = 0
	}
}

// split leaves out the items that are no key=value, (other) above all, and sorts
// the others.
func (f *facets) split() {
	out := f.out[:0]
	for _, c := range f.out {
		item := f.dict.at(c.item)
		at := bytes.IndexByte(item, '=')
		if at < 1 {
			continue
		}
		c.field = f.dict.lookup(item[:at])
		out = append(out, c)
	}
	f.out = out
	f.sort()
}

// sort puts the rows in the order of the table's key: project, field, hour, value.
// Projects come in order.
func (f *facets) sort() {
	for lo := 0; lo < len(f.out); {
		hi := lo + 1
		for hi < len(f.out) && f.out[hi].project == f.out[lo].project {
			hi++
		}
		slices.SortFunc(f.out[lo:hi], func(a, b facet) int {
			if a.field != b.field {
				return bytes.Compare(f.dict.at(a.field), f.dict.at(b.field))
			}
			if c := cmp.Compare(a.hour, b.hour); c != 0 {
				return c
			}
			return bytes.Compare(f.value(a), f.value(b))
		})
		lo = hi
	}
}

func (f *facets) value(c facet) []byte { return f.dict.at(c.item)[len(f.dict.at(c.field))+1:] }

func (f *facets) write(n *native, rows between) {
	out := f.out[rows.lo:rows.hi]
	n.block(7)
	f.idx = lowCardOf(n, f.idx, "project", out, func(c *facet) uint32 { return c.project })
	n.column("hour", typeSecond)
	for i := range out {
		n.body = binary.LittleEndian.AppendUint32(n.body, out[i].hour)
	}
	f.idx = lowCardOf(n, f.idx, "field", out, func(c *facet) uint32 { return c.field })
	n.column("value", typeString)
	for i := range out {
		n.body = appendBlob(n.body, f.value(out[i]))
	}
	sumsOf(n, "cnt", out, func(x *facet) uint64 { return x.cnt })
	sumsOf(n, "weight", out, func(x *facet) uint64 { return x.weight })
	n.rollupTTL(len(out))
}
