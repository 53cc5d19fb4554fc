package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// source is the rows that one part gives to a table of a unit.
type source struct {
	view  *tableView
	rows  between
	width int      // of its indices
	remap []uint32 // from its indices to the unit's dictionary
}

// stretch is neighbouring rows of one source.
type stretch struct {
	source int32
	lo, hi int32
}

// sortKey is a row's place in the order of its table.
type sortKey struct {
	project uint32 // rank by name
	source  int32
	row     int32
	ts      int64
}

func (a sortKey) compare(b sortKey) int {
	if c := cmp.Compare(a.project, b.project); c != 0 {
		return c
	}
	if c := cmp.Compare(a.ts, b.ts); c != 0 {
		return c
	}
	if c := cmp.Compare(a.source, b.source); c != 0 {
		return c
	}
	return cmp.Compare(a.row, b.row)
}

// order gives the rows of the sources in the order of the table's key, (project,
// ts), which spares the store the sorting. Rows of the same key stay in the order of
// the parts.
func (e *Encoder) order(sources []source) []stretch {
	keys := e.keys[:0]
	ranks := e.projectRanks(sources)
	for s, src := range sources {
		project, ts := &src.view.cols[cProject], &src.view.cols[cTime]
		var rank uint32
		var at int64
		for row := src.rows.lo; row < src.rows.hi; row++ {
			if row == src.rows.lo || project.form == formFull {
				rank = ranks[src.lowCardAt(cProject, row)]
			}
			switch ts.form {
			case formFull:
				at = int64(binary.LittleEndian.Uint64(ts.data[8*row:]))
			case formConstant:
				at = int64(binary.LittleEndian.Uint64(ts.data))
			}
			keys = append(keys, sortKey{rank, int32(s), int32(row), at})
		}
	}
	e.keys = keys
	refs, sorted := e.refs[:0], true
	for i, k := range keys {
		refs = append(refs, ref{uint64(k.ts) ^ 1<<63, uint32(i)}) // so that times before 1970 come first
		sorted = sorted && (i == 0 || keys[i-1].compare(k) <= 0)
	}
	e.refs = refs
	switch {
	case sorted:
	case len(ranks) == 1:
		e.tmp = slices.Grow(e.tmp[:0], len(refs))[:len(refs)]
		sortRefs(refs, e.tmp)
	default:
		slices.SortFunc(refs, func(a, b ref) int { return keys[a.i].compare(keys[b.i]) })
	}

	out := e.stretches[:0]
	for _, r := range refs {
		k := &keys[r.i]
		if n := len(out) - 1; n >= 0 && out[n].source == k.source && out[n].hi == k.row {
			out[n].hi++
			continue
		}
		out = append(out, stretch{k.source, k.row, k.row + 1})
	}
	e.stretches = out
	return out
}

// lowCardAt gives the index of a value in the unit's dictionary.
func (s *source) lowCardAt(c columnID, row int) uint32 {
	v := &s.view.cols[c]
	switch v.form {
	case formDefault:
		return 0
	case formConstant:
		row = 0
	}
	return s.remap[indexAt(v.idx, s.width, row)]
}

// projectRanks gives the place of each project of the sources in the order of
// their names, by index.
func (e *Encoder) projectRanks(sources []source) map[uint32]uint32 {
	var ids []uint32
	seen := map[uint32]uint32{}
	add := func(i uint32) {
		if _, had := seen[i]; !had {
			seen[i] = 0
			ids = append(ids, i)
		}
	}
	for _, src := range sources {
		last := src.rows.hi
		if src.view.cols[cProject].form != formFull {
			last = src.rows.lo + 1
		}
		for row := src.rows.lo; row < last; row++ {
			add(src.lowCardAt(cProject, row))
		}
	}
	slices.SortFunc(ids, func(a, b uint32) int { return bytes.Compare(e.dict.at(a), e.dict.at(b)) })
	for rank, i := range ids {
		seen[i] = uint32(rank)
	}
	return seen
}
