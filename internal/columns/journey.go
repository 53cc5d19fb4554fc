package columns

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// journey makes a row of the table journey for each correlation key of each row of
// the unit, in the order of the table's key: project, key, value, ts.
type journey struct {
	projects, keys distinct
	rows           []journeyRow
	entries        []journeyEntry
	groups         []int // by rank of project and key: where their entries end in order
	order, tmp     []ref
	names          map[[2]uint32]uint32 // of requests: by method and route
	unit           uint64
	tables         *[tableCount]sorted
	dict           *dictionary

	// The columns of the block being written, as long as not all are known.
	project, key, kind, service, name []uint32
	values, ts, rid, rest             []byte
}

// journeyRow is what the entries of one row share: one line of the processor's cache.
type journeyRow struct {
	ts, rid                uint64
	trace                  [16]byte
	project, service, name uint32
	ms                     uint32 // bits of a float
	status, ttlDays        uint16
	table                  tableID
}

// journeyEntry is one correlation key of one row.
type journeyEntry struct {
	row  uint32
	key  uint32
	at   uint32 // of the value in the table's body
	size uint32
}

const journeyColumns = "project, key, value, ts, kind, rid, service, name, status, duration_ms, ttl_days, unit, trace_id"

func (j *journey) make(e *Encoder, unit uint64) {
	j.unit, j.tables, j.dict = unit, &e.sorted, &e.dict
	if j.names == nil {
		j.names = map[[2]uint32]uint32{}
	}
	clear(j.names)
	j.projects.reset(&e.dict)
	j.keys.reset(&e.dict)
	j.rows, j.entries = j.rows[:0], j.entries[:0]
	for t := range tableCount {
		j.collect(t)
	}
	j.projects.sort(&e.dict)
	j.keys.sort(&e.dict)
	j.sort()
}

// collect appends the rows and entries of a table.
func (j *journey) collect(t tableID) {
	s := &j.tables[t]
	entry := 0
	at := s.values
	for row := range s.rows {
		end := s.end(cCorrelation, row)
		if entry == end {
			continue
		}
		r := journeyRow{
			ts: s.u64(cTime, row), rid: s.u64(cRID, row), project: s.idx[cProject][row], service: s.idx[cService][row],
			ttlDays: s.u16(cTTLDays, row), table: t, trace: [16]byte(s.id16(cTraceID, row)),
		}
		j.projects.add(r.project)
		if t != events {
			r.status = s.u16(cStatus, row)
			r.ms = math.Float32bits(float32(float64(s.u64(cDuration, row)) / 1e6))
		}
		r.name = j.nameOf(t, row)
		j.rows = append(j.rows, r)
		for ; entry < end; entry++ {
			size, w := uvarint(s.body[at:])
			at += w
			key := s.idx[cCorrelation][entry]
			j.keys.add(key)
			j.entries = append(j.entries, journeyEntry{uint32(len(j.rows) - 1), key, uint32(at), uint32(size)})
			at += int(size)
		}
	}
}

// nameOf gives what the journey calls a row: method and route of a request, else the
// row's name.
func (j *journey) nameOf(t tableID, row int) uint32 {
	s := &j.tables[t]
	if t != requests || s.idx[cRoute][row] == 0 {
		return s.idx[cName][row]
	}
	method, route := s.idx[cMethod][row], s.idx[cRoute][row]
	if method == 0 {
		return route
	}
	id, ok := j.names[[2]uint32{method, route}]
	if !ok {
		name := append(append(slices.Clone(j.dict.at(method)), ' '), j.dict.at(route)...)
		id = j.dict.lookup(name)
		j.names[[2]uint32{method, route}] = id
	}
	return id
}

// sort puts the entries in order: by project and key, which are few, by counting,
// and then each group by value and time.
func (j *journey) sort() {
	keys := len(j.keys.ids)
	j.groups = append(j.groups[:0], make([]int, keys*len(j.projects.ids)+1)...)
	group := func(e *journeyEntry) int {
		return int(j.projects.rank[j.rows[e.row].project])*keys + int(j.keys.rank[e.key])
	}
	for i := range j.entries {
		j.groups[group(&j.entries[i])+1]++
	}
	for g := 1; g < len(j.groups); g++ {
		j.groups[g] += j.groups[g-1]
	}
	j.order = slices.Grow(j.order[:0], len(j.entries))[:len(j.entries)]
	j.tmp = slices.Grow(j.tmp[:0], len(j.entries))[:len(j.entries)]
	for i := range j.entries {
		g := group(&j.entries[i])
		j.order[j.groups[g]].i = uint32(i)
		j.groups[g]++ // ends where the next group began
	}
	lo := 0
	for _, hi := range j.groups[:len(j.groups)-1] {
		j.sortGroup(j.order[lo:hi], j.tmp[lo:hi])
		lo = hi
	}
}

// sortGroup sorts entries of one project and key. Their values have much in common,
// "req-", so the eight bytes they are sorted by are those behind that. The rows of a
// table come by time; only where values are the same and tables differ do times have
// to be compared.
func (j *journey) sortGroup(order, tmp []ref) {
	if len(order) == 0 {
		return
	}
	first := j.value(order[0].i)
	common := len(first)
	for _, o := range order[1:] {
		v := j.value(o.i)
		common = min(common, len(v))
		for common > 0 && string(v[:common]) != string(first[:common]) {
			common--
		}
	}
	for i := range order {
		order[i].key = prefixOf(j.value(order[i].i)[common:])
	}
	sortRefs(order, tmp)
	for lo := 0; lo < len(order); {
		hi, plain := lo+1, true
		a := &j.entries[order[lo].i]
		for ; hi < len(order) && order[hi].key == order[lo].key; hi++ {
			b := &j.entries[order[hi].i]
			plain = plain && a.size == b.size && int(b.size) <= common+8 && j.rows[a.row].table == j.rows[b.row].table
		}
		if hi-lo > 1 && !plain {
			slices.SortStableFunc(order[lo:hi], j.compare)
		}
		lo = hi
	}
}

// prefixOf gives the first eight bytes as a number that sorts as they do.
func prefixOf(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var p [8]byte
	copy(p[:], b)
	return binary.BigEndian.Uint64(p[:])
}

func (j *journey) compare(a, b ref) int {
	if c := bytes.Compare(j.value(a.i), j.value(b.i)); c != 0 {
		return c
	}
	x, y := j.rows[j.entries[a.i].row].ts, j.rows[j.entries[b.i].row].ts
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (j *journey) value(entry uint32) []byte {
	e := &j.entries[entry]
	return j.tables[j.rows[e.row].table].body[e.at : e.at+e.size]
}

// kinds are the words of the column kind.
var kinds = [tableCount]string{requests: "request", spans: "span", events: "event"}

// Places of the columns behind rid that are numbers, in rest, which has them row by
// row until all rows are known.
const (
	restStatus = 0
	restMS     = 2
	restTTL    = 6
	restTrace  = 8
	restWidth  = 24
)

// gather reads the rows of a block once, in their order.
func (j *journey) gather(order []ref) {
	j.project, j.key, j.kind, j.service, j.name = j.project[:0], j.key[:0], j.kind[:0], j.service[:0], j.name[:0]
	j.values, j.ts, j.rid, j.rest = j.values[:0], j.ts[:0], j.rid[:0], j.rest[:0]
	var kind [tableCount]uint32
	for t := range kind {
		kind[t] = j.dict.lookup([]byte(kinds[t]))
	}
	j.ts = slices.Grow(j.ts, 8*len(order))[:8*len(order)]
	j.rid = slices.Grow(j.rid, 8*len(order))[:8*len(order)]
	j.rest = slices.Grow(j.rest, restWidth*len(order))[:restWidth*len(order)]
	for i, o := range order {
		e := &j.entries[o.i]
		r := &j.rows[e.row]
		j.project = append(j.project, r.project)
		j.key = append(j.key, e.key)
		j.kind = append(j.kind, kind[r.table])
		j.service = append(j.service, r.service)
		j.name = append(j.name, r.name)
		j.values = appendBlob(j.values, j.tables[r.table].body[e.at:e.at+e.size])
		binary.LittleEndian.PutUint64(j.ts[8*i:], r.ts)
		binary.LittleEndian.PutUint64(j.rid[8*i:], r.rid)
		rest := (*[restWidth]byte)(j.rest[restWidth*i:])
		binary.LittleEndian.PutUint16(rest[restStatus:], r.status)
		binary.LittleEndian.PutUint32(rest[restMS:], r.ms)
		binary.LittleEndian.PutUint16(rest[restTTL:], r.ttlDays)
		*(*[16]byte)(rest[restTrace:]) = r.trace
	}
}

// write writes the block of a range of rows.
func (j *journey) write(n *native, rows between) {
	j.gather(j.order[rows.lo:rows.hi])
	n.block(13)
	j.lowCard(n, "project", j.project)
	j.lowCard(n, "key", j.key)
	n.column("value", typeString)
	n.body = append(n.body, j.values...)
	n.column("ts", typeTime)
	n.body = append(n.body, j.ts...)
	j.lowCard(n, "kind", j.kind)
	n.column("rid", "UInt64")
	n.body = append(n.body, j.rid...)
	j.lowCard(n, "service", j.service)
	j.lowCard(n, "name", j.name)
	j.fromRest(n, "status", "UInt16", restStatus, 2)
	j.fromRest(n, "duration_ms", "Float32", restMS, 4)
	j.fromRest(n, "ttl_days", "UInt16", restTTL, 2)
	n.column("unit", "UInt64")
	n.repeat64(j.unit)
	j.fromRest(n, "trace_id", "FixedString(16)", restTrace, 16)
}

func (j *journey) fromRest(n *native, name, typ string, at, width int) {
	n.column(name, typ)
	for rest := j.rest; len(rest) > 0; rest = rest[restWidth:] {
		n.body = append(n.body, rest[at:at+width]...)
	}
}

func (j *journey) lowCard(n *native, name string, idx []uint32) {
	n.column(name, typeLowCard)
	n.lowCardPrefix()
	n.lowCard(idx)
}
