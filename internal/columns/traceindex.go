package columns

import (
	"encoding/binary"
	"slices"
)

// traceIndex makes the rows of the table trace_index: the minutes that hold rows of a
// trace, by the first four bytes of its id.
type traceIndex struct {
	projects   distinct
	found      []traceMinute
	groups     []int // by rank of the project: where its rows end in order
	order, tmp []ref
	rows       []traceMinute
	idx        []uint32
}

type traceMinute struct {
	project uint32
	h       uint32
	minute  uint32 // seconds since 1970
	ttlDays uint16
}

const traceIndexColumns = "project, h, minute, ttl_days"

func (x *traceIndex) make(e *Encoder) {
	x.projects.reset(&e.dict)
	x.found = x.found[:0]
	for t := range tableCount {
		s := &e.sorted[t]
		for row := range s.rows {
			id := s.id16(cTraceID, row)
			if [16]byte(id) == ([16]byte{}) {
				continue
			}
			project := s.idx[cProject][row]
			x.projects.add(project)
			x.found = append(x.found, traceMinute{
				project: project, h: binary.LittleEndian.Uint32(id),
				minute: startOf(s.u64(cTime, row), 60), ttlDays: s.u16(cTTLDays, row),
			})
		}
	}
	x.projects.sort(&e.dict)
	x.sort()
	x.rows = x.rows[:0]
	for _, o := range x.order {
		r := x.found[o.i]
		if n := len(x.rows) - 1; n >= 0 && x.rows[n].project == r.project && x.rows[n].h == r.h && x.rows[n].minute == r.minute {
			x.rows[n].ttlDays = max(x.rows[n].ttlDays, r.ttlDays)
			continue
		}
		x.rows = append(x.rows, r)
	}
}

// sort puts what was found in the order of the table's key: project, h, minute.
func (x *traceIndex) sort() {
	x.groups = append(x.groups[:0], make([]int, len(x.projects.ids)+1)...)
	for i := range x.found {
		x.groups[x.projects.rank[x.found[i].project]+1]++
	}
	for g := 1; g < len(x.groups); g++ {
		x.groups[g] += x.groups[g-1]
	}
	x.order = slices.Grow(x.order[:0], len(x.found))[:len(x.found)]
	x.tmp = slices.Grow(x.tmp[:0], len(x.found))[:len(x.found)]
	for i := range x.found {
		r := &x.found[i]
		g := x.projects.rank[r.project]
		x.order[x.groups[g]] = ref{uint64(r.h)<<32 | uint64(r.minute), uint32(i)}
		x.groups[g]++ // ends where the next group began
	}
	lo := 0
	for _, hi := range x.groups[:len(x.groups)-1] {
		sortRefs(x.order[lo:hi], x.tmp[lo:hi])
		lo = hi
	}
}

// startOf gives the start of the period of so many seconds, in seconds since 1970, of
// nanoseconds since then.
func startOf(ns uint64, seconds uint32) uint32 {
	s := uint32(max(int64(ns), 0) / 1e9)
	return s - s%seconds
}

func (x *traceIndex) write(n *native, rows between) {
	out := x.rows[rows.lo:rows.hi]
	n.block(4)
	n.column("project", typeLowCard)
	n.lowCardPrefix()
	x.idx = x.idx[:0]
	for _, r := range out {
		x.idx = append(x.idx, r.project)
	}
	n.lowCard(x.idx)
	n.column("h", "UInt32")
	for _, r := range out {
		n.body = binary.LittleEndian.AppendUint32(n.body, r.h)
	}
	n.column("minute", typeSecond)
	for _, r := range out {
		n.body = binary.LittleEndian.AppendUint32(n.body, r.minute)
	}
	n.column("ttl_days", "UInt16")
	for _, r := range out {
		n.body = binary.LittleEndian.AppendUint16(n.body, r.ttlDays)
	}
}
