package columns

import (
	"slices"

	"github.com/trackwayhq/trackway/internal/record"
)

// Part is the rows of a Batch that lie in one window of days: what of it goes into
// one unit of insert. It is never changed, and is safe for concurrent use.
type Part struct {
	in     *parsed
	window int64
	tables [tableCount]*tableView // nil without rows
	// rows and items are what of the tables and of the items in runs is the
	// part's: all of them, unless it was halved.
	rows  [tableCount]between
	items between
	runs  []run
	size  int // of all of it, encoded
}

// between is the half-open range [lo, hi).
type between struct{ lo, hi int }

func (b between) len() int { return b.hi - b.lo }

// Window says which days the rows are of. Parts of the same window can be put into
// one unit.
func (p *Part) Window() int64 { return p.window }

// Rows is the number of rows of requests, spans and events together.
func (p *Part) Rows() (n int) {
	for _, r := range p.rows {
		n += r.len()
	}
	return n
}

// Size is the number of bytes the part takes in the encoding; of a half, its share.
func (p *Part) Size() int {
	all := 0
	for _, t := range p.tables {
		if t != nil {
			all += t.n
		}
	}
	if all == 0 {
		return p.size
	}
	return int(int64(p.size) * int64(p.Rows()) / int64(all))
}

// Items is the number of items that begin in the part. An item with rows in several
// parts counts in that of its first row only, so that the items of all parts are
// the items of the Batch.
func (p *Part) Items() (n int) {
	p.eachRun(func(r run) {
		if r.counted {
			n += r.n
		}
	})
	return n
}

// ItemsByProject calls f for each project that counted items belong to, with their
// number; a project may come several times.
func (p *Part) ItemsByProject(f func(project string, items int)) {
	p.eachRun(func(r run) {
		if r.counted {
			f(string(p.in.dict[r.project]), r.n)
		}
	})
}

// eachRun calls f for the runs of the part's items.
func (p *Part) eachRun(f func(run)) {
	at := 0
	for _, r := range p.runs {
		lo, hi := max(at, p.items.lo), min(at+r.n, p.items.hi)
		at += r.n
		if lo < hi {
			r.n = hi - lo
			f(r)
		}
	}
}

// Halves splits the part between two of its items, for finding one that the store
// refuses. A part of one item comes back with nil.
func (p *Part) Halves() (a, b *Part) {
	if p.items.len() < 2 {
		return p, nil
	}
	middle := p.items.lo + p.items.len()/2
	first, second := *p, *p
	first.items.hi, second.items.lo = middle, middle
	for t, v := range p.tables {
		if v == nil {
			continue
		}
		row := v.firstRowOf(middle)
		row = min(max(row, p.rows[t].lo), p.rows[t].hi)
		first.rows[t].hi, second.rows[t].lo = row, row
	}
	return &first, &second
}

// firstRowOf gives the first row of an item or of one after it.
func (t *tableView) firstRowOf(item int) int {
	at := -1
	if t.items.form == formConstant {
		d := int(t.items.data[0])
		for row := range t.n {
			if at += d; at >= item {
				return row
			}
		}
		return t.n
	}
	data := t.items.data
	for row := range t.n {
		d, n := uvarint(data)
		data = data[n:]
		if at += int(d); at >= item {
			return row
		}
	}
	return t.n
}

// AppendTo appends the encoding of a Batch that holds just the part.
func (p *Part) AppendTo(dst []byte) []byte {
	var b Batch
	p.eachRow(func(r *record.Record, project string, counted, first bool) {
		if first {
			b.BeginItem(project)
			b.begun = counted
		}
		b.Append(r)
	})
	return b.AppendTo(dst)
}

// eachRow calls f for the part's rows, item by item.
func (p *Part) eachRow(f func(r *record.Record, project string, counted, first bool)) {
	records, items := p.records()
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return items[a] - items[b] })
	at, run, last := 0, 0, -1
	for _, i := range order {
		for items[i] >= at+p.runs[run].n {
			at += p.runs[run].n
			run++
		}
		f(&records[i], string(p.in.dict[p.runs[run].project]), p.runs[run].counted, items[i] != last)
		last = items[i]
	}
}
