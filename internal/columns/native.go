package columns

import (
	"encoding/binary"
	"slices"
)

// native writes one block in the Native format of protocol revision 0, which is
// what HTTP has: number of columns, number of rows, and for each column its name,
// its type, the prefix of its serialization and its values. The format is that of
// ClickHouse's SerializationLowCardinality, -Map, -Array and -String.
type native struct {
	dict *dictionary
	body []byte
	rows int

	idx         []uint32 // of the column being written, in the order of its rows
	local       []uint32 // by index of the unit's dictionary: the column's own index + 1
	values      []uint32 // the column's dictionary
	starts      []uint32 // of the strings of sources
	bounds      []between
	first       []uint32 // of the rows of sources: the number of the first entry
	firstBounds []between
	texts       [][]byte // values of the map of sources
}

func (n *native) start(d *dictionary, body []byte, rows int) {
	n.dict, n.body, n.rows = d, body, rows
}

// block begins the block.
func (n *native) block(columns int) {
	n.body = binary.AppendUvarint(n.body, uint64(columns))
	n.body = binary.AppendUvarint(n.body, uint64(n.rows))
}

// column begins a column.
func (n *native) column(name, typ string) {
	n.body = appendText(n.body, name)
	n.body = appendText(n.body, typ)
}

// repeat64 writes a column of one number.
func (n *native) repeat64(v uint64) {
	for range n.rows {
		n.body = binary.LittleEndian.AppendUint64(n.body, v)
	}
}

// fixed writes a column of numbers.
func (n *native) fixed(c columnID, width int, sources []source, order []stretch) {
	if uniform(c, formDefault, sources) {
		n.body = appendZeros(n.body, n.rows*width)
		return
	}
	body := n.body
	for _, s := range order {
		v := &sources[s.source].view.cols[c]
		switch v.form {
		case formFull:
			body = append(body, v.data[int(s.lo)*width:int(s.hi)*width]...)
		case formConstant:
			for range s.hi - s.lo {
				body = append(body, v.data...)
			}
		default:
			body = appendZeros(body, int(s.hi-s.lo)*width)
		}
	}
	n.body = body
}

// uniform says whether the column has the form in all sources.
func uniform(c columnID, form uint8, sources []source) bool {
	for i := range sources {
		if sources[i].view.cols[c].form != form {
			return false
		}
	}
	return true
}

// collect gathers the indices of a LowCardinality column into n.idx.
func (n *native) collect(c columnID, sources []source, order []stretch) {
	idx := n.idx[:0]
	for _, s := range order {
		src := &sources[s.source]
		v := &src.view.cols[c]
		switch {
		case v.form == formFull && src.width == 1:
			for _, i := range v.idx[s.lo:s.hi] {
				idx = append(idx, src.remap[i])
			}
		case v.form == formFull:
			for row := s.lo; row < s.hi; row++ {
				idx = append(idx, src.remap[indexAt(v.idx, src.width, int(row))])
			}
		default:
			one := src.lowCardAt(c, 0)
			for range s.hi - s.lo {
				idx = append(idx, one)
			}
		}
	}
	n.idx = idx
}

// lowCardPrefix writes the prefix of a LowCardinality column: its version, shared
// dictionaries with additional keys.
func (n *native) lowCardPrefix() { n.body = binary.LittleEndian.AppendUint64(n.body, 1) }

// Flags of a LowCardinality column beside the width of its indices.
const (
	hasAdditionalKeys    = 1 << 9
	needUpdateDictionary = 1 << 10
)

// lowCard writes the values of a LowCardinality column: a dictionary of its own and
// indices into it.
func (n *native) lowCard(idx []uint32) {
	if len(idx) == 0 {
		return
	}
	if short := n.dict.len() - len(n.local); short > 0 {
		n.local = append(n.local, make([]uint32, short)...)
	}
	values := n.values[:0]
	for i, g := range idx {
		l := n.local[g]
		if l == 0 {
			values = append(values, g)
			l = uint32(len(values))
			n.local[g] = l
		}
		idx[i] = l - 1
	}
	var kind uint64
	switch indexWidth(len(values)) {
	case 2:
		kind = 1
	case 4:
		kind = 2
	}
	body := binary.LittleEndian.AppendUint64(n.body, hasAdditionalKeys|needUpdateDictionary|kind)
	body = binary.LittleEndian.AppendUint64(body, uint64(len(values)))
	for _, g := range values {
		body = appendBlob(body, n.dict.at(g))
		n.local[g] = 0
	}
	body = binary.LittleEndian.AppendUint64(body, uint64(len(idx)))
	n.body = appendIndices(body, indexWidth(len(values)), idx)
	n.values = values
}

// textColumn writes a column of strings.
func (n *native) textColumn(c columnID, sources []source, order []stretch) {
	if uniform(c, formDefault, sources) {
		n.body = appendZeros(n.body, n.rows)
		return
	}
	n.findTexts(c, sources)
	body := n.body
	for _, s := range order {
		v := &sources[s.source].view.cols[c]
		if v.form == formDefault {
			body = appendZeros(body, int(s.hi-s.lo))
			continue
		}
		starts := n.startsOf(int(s.source))
		body = append(body, v.data[starts[s.lo]:starts[s.hi]]...)
	}
	n.body = body
}

// findTexts finds where the strings of a column of sources begin.
func (n *native) findTexts(c columnID, sources []source) {
	starts, bounds := n.starts[:0], n.bounds[:0]
	for i := range sources {
		from := len(starts)
		v := &sources[i].view.cols[c]
		if v.form == formFull {
			starts = appendStarts(starts, v.data, sources[i].view.n)
		}
		bounds = append(bounds, between{from, len(starts)})
	}
	n.starts, n.bounds = starts, bounds
}

// appendStarts appends where each of count strings begins, and where the last ends.
func appendStarts(starts []uint32, data []byte, count int) []uint32 {
	starts = slices.Grow(starts, count+1)
	off := 0
	for range count {
		starts = append(starts, uint32(off))
		if size := data[off]; size < 0x80 {
			off += int(size) + 1
			continue
		}
		size, w := binary.Uvarint(data[off:])
		off += w + int(size)
	}
	return append(starts, uint32(off))
}

func (n *native) startsOf(source int) []uint32 {
	b := n.bounds[source]
	return n.starts[b.lo:b.hi]
}

// entries writes the offsets of a map or an array and gathers the indices of its
// keys or items into n.idx.
func (n *native) entries(c columnID, s shape, sources []source, order []stretch) {
	n.lowCardPrefix()
	n.idx = n.idx[:0]
	n.findEntries(c, s, sources)
	total := uint64(0)
	for _, st := range order {
		src := &sources[st.source]
		v := &src.view.cols[c]
		if v.form == formDefault {
			for range st.hi - st.lo {
				n.body = binary.LittleEndian.AppendUint64(n.body, total)
			}
			continue
		}
		f := n.firstOf(int(st.source))
		for row := st.lo; row < st.hi; row++ {
			n.body = binary.LittleEndian.AppendUint64(n.body, total+uint64(f[row+1]-f[st.lo]))
		}
		total += uint64(f[st.hi] - f[st.lo])
		for e := f[st.lo]; e < f[st.hi]; e++ {
			n.idx = append(n.idx, src.remap[indexAt(v.idx, src.width, int(e))])
		}
	}
}

// entryValues writes the values of the map whose keys were gathered last.
func (n *native) entryValues(sources []source, order []stretch) {
	for _, st := range order {
		f, at := n.firstOf(int(st.source)), n.startsOf(int(st.source))
		if len(f) > 0 {
			n.body = append(n.body, n.texts[st.source][at[f[st.lo]]:at[f[st.hi]]]...)
		}
	}
}

// findEntries finds for each source the number of the first entry of each row, and
// where its values are.
func (n *native) findEntries(c columnID, s shape, sources []source) {
	n.starts, n.bounds = n.starts[:0], n.bounds[:0]
	n.first, n.firstBounds = n.first[:0], n.firstBounds[:0]
	n.texts = n.texts[:0]
	for i := range sources {
		v, from, firstFrom := &sources[i].view.cols[c], len(n.starts), len(n.first)
		if v.form == formFull {
			counts, at := v.counts, uint32(0)
			n.first = append(n.first, 0)
			for range sources[i].view.n {
				count, w := uvarint(counts)
				counts = counts[w:]
				at += uint32(count)
				n.first = append(n.first, at)
			}
			if s == pairs {
				n.starts = appendStarts(n.starts, v.data, int(at))
			}
		}
		n.texts = append(n.texts, v.data)
		n.bounds = append(n.bounds, between{from, len(n.starts)})
		n.firstBounds = append(n.firstBounds, between{firstFrom, len(n.first)})
	}
}

func (n *native) firstOf(source int) []uint32 {
	b := n.firstBounds[source]
	return n.first[b.lo:b.hi]
}
