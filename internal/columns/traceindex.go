package columns

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// traceIndex makes the rows of the table trace_index: the minutes that hold rows of a
// trace, by the first four bytes of its id.
type traceIndex struct {
	projects distinct
	rows     []traceMinute
	idx      []uint32
}

type traceMinute struct {
	project uint32
	rank    uint32
	h       uint32
	minute  uint32 // seconds since 1970
	ttlDays uint16
}

func (a traceMinute) compare(b traceMinute) int {
	if a.rank != b.rank {
		return cmp.Compare(a.rank, b.rank)
	}
	return cmp.Compare(uint64(a.h)<<32|uint64(a.minute), uint64(b.h)<<32|uint64(b.minute))
}

const traceIndexColumns = "project, h, minute, ttl_days"

func (x *traceIndex) make(e *Encoder) {
	x.projects.reset(&e.dict)
	x.rows = x.rows[:0]
	for t := range tableCount {
		s := &e.sorted[t]
		for row := range s.rows {
			id := s.id16(cTraceID, row)
			if [16]byte(id) == ([16]byte{}) {
				continue
			}
			project := s.idx[cProject][row]
			x.projects.add(project)
			x.rows = append(x.rows, traceMinute{
				project: project, h: binary.LittleEndian.Uint32(id),
				minute: startOf(s.u64(cTime, row), 60), ttlDays: s.u16(cTTLDays, row),
			})
		}
	}
	x.projects.sort(&e.dict)
	for i := range x.rows {
		x.rows[i].rank = x.projects.rank[x.rows[i].project]
	}
	slices.SortFunc(x.rows, traceMinute.compare)
	out := x.rows[:0]
	for _, r := range x.rows {
		if n := len(out) - 1; n >= 0 && out[n].compare(r) == 0 {
			out[n].ttlDays = max(out[n].ttlDays, r.ttlDays)
			continue
		}
		out = append(out, r)
	}
	x.rows = out
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
