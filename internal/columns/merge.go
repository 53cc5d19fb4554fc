package columns

import "encoding/binary"

// Merge appends src's rows and items to dst, as if they had been appended to it.
// src stays as it is.
func Merge(dst, src *Batch) {
	from := src.parsed
	if from == nil {
		from = src.parse()
	}
	dst.edit()
	remap := make([]uint32, len(from.dict))
	for i, s := range from.dict {
		remap[i] = dst.dict.lookup(s)
	}
	for _, p := range from.parts {
		to := dst.part(p.window)
		before := to.items
		for _, r := range p.runs {
			to.addItems(remap[r.project], r.n, r.counted)
		}
		for t, v := range p.tables {
			if v != nil {
				to.tables[t].appendView(tableID(t), v, from.width, remap, before)
			}
		}
	}
	dst.items += src.items
	dst.last = nil
	for _, p := range dst.building {
		p.item = dst.items
	}
}

// appendView appends all rows of v, whose items are numbered from base on.
func (t *rows) appendView(id tableID, v *tableView, width int, remap []uint32, base int) {
	for _, c := range tableColumns[id] {
		from := &v.cols[c]
		if from.form == formDefault {
			continue
		}
		info, to := &columnInfos[c], &t.cols[c]
		if to.n < t.n {
			to.fill(info.shape, info.width, t.n)
		}
		to.n += v.n
		switch info.shape {
		case fixed:
			if from.form == formFull {
				to.data = append(to.data, from.data...)
				continue
			}
			for range v.n {
				to.data = append(to.data, from.data...)
			}
		case lowCard:
			for i := range v.n {
				if from.form == formConstant {
					i = 0
				}
				to.idx = append(to.idx, remap[indexAt(from.idx, width, i)])
			}
		case text:
			to.data = append(to.data, from.data...)
		case pairs, list:
			to.counts = append(to.counts, from.counts...)
			for i := range len(from.idx) / width {
				to.idx = append(to.idx, remap[indexAt(from.idx, width, i)])
			}
			to.data = append(to.data, from.data...)
		}
	}
	// Only the first row's difference is not the same as in v.
	first := v.appendItems(nil, between{0, 1})[0]
	t.items = binary.AppendUvarint(t.items, uint64(base+first-t.lastItem))
	if v.items.form == formFull {
		_, n := uvarint(v.items.data)
		t.items = append(t.items, v.items.data[n:]...)
	} else {
		for range v.n - 1 {
			t.items = append(t.items, v.items.data[0])
		}
	}
	t.lastItem = base + v.lastItem()
	t.n += v.n
}

func (t *tableView) lastItem() int {
	items := t.appendItems(nil, between{t.n - 1, t.n})
	return items[0]
}
