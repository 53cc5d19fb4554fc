package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// journey makes a row of the table journey for each correlation key of each row of
// the unit, in the order of the table's key: project, key, value, ts.
type journey struct {
	projects, keys distinct
	entries        []journeyEntry
	groups         []int // by rank of project and key: where their entries begin in order
	order          []journeyRef
	names          map[[2]uint32]uint32 // of requests: by method and route
	unit           uint64
	withTraces     bool // trace_id, which the view trace_keys reads
	tables         *[tableCount]sorted
	idx            []uint32
	dict           *dictionary
}

// journeyEntry is one correlation key of one row.
type journeyEntry struct {
	group  uint32 // project and key
	key    uint32
	row    uint32
	at     uint32 // of the value in the table's body, behind its length
	size   uint32
	table  tableID
	prefix uint64 // of the value, big endian
	ts     int64
}

// journeyRef is an entry with what decides its place within its group.
type journeyRef struct {
	prefix uint64
	entry  uint32
}

const (
	journeyColumns      = "project, key, value, ts, kind, rid, service, name, status, duration_ms, ttl_days, unit"
	journeyTraceColumns = journeyColumns + ", trace_id"
)

func (j *journey) make(e *Encoder, unit uint64) {
	j.unit, j.tables, j.dict, j.withTraces = unit, &e.sorted, &e.dict, !e.OmitTraceKeys
	if j.names == nil {
		j.names = map[[2]uint32]uint32{}
	}
	clear(j.names)
	j.projects.reset(&e.dict)
	j.keys.reset(&e.dict)
	j.entries = j.entries[:0]
	for t := range tableCount {
		j.collect(t)
	}
	j.projects.sort(&e.dict)
	j.keys.sort(&e.dict)
	j.sort()
}

// collect appends the entries of a table.
func (j *journey) collect(t tableID) {
	s := &j.tables[t]
	entry := 0
	at := s.values
	for row := range s.rows {
		end := s.end(cCorrelation, row)
		if entry == end {
			continue
		}
		project := s.idx[cProject][row]
		j.projects.add(project)
		ts := int64(s.u64(cTime, row))
		for ; entry < end; entry++ {
			size, w := uvarint(s.body[at:])
			at += w
			key := s.idx[cCorrelation][entry]
			j.keys.add(key)
			j.entries = append(j.entries, journeyEntry{
				group: project, key: key, row: uint32(row), at: uint32(at), size: uint32(size), table: t,
				prefix: prefixOf(s.body[at : at+int(size)]), ts: ts,
			})
			at += int(size)
		}
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

func (j *journey) columns() string {
	if j.withTraces {
		return journeyTraceColumns
	}
	return journeyColumns
}

// sort puts the entries in order: by project and key, which are few, by counting,
// and then each group by value and time.
func (j *journey) sort() {
	keys := uint32(len(j.keys.ids))
	j.groups = append(j.groups[:0], make([]int, int(keys)*len(j.projects.ids)+1)...)
	for i := range j.entries {
		e := &j.entries[i]
		e.group = j.projects.rank[e.group]*keys + j.keys.rank[e.key]
		j.groups[e.group+1]++
	}
	for g := 1; g < len(j.groups); g++ {
		j.groups[g] += j.groups[g-1]
	}
	j.order = slices.Grow(j.order[:0], len(j.entries))[:len(j.entries)]
	for i := range j.entries {
		e := &j.entries[i]
		j.order[j.groups[e.group]] = journeyRef{e.prefix, uint32(i)}
		j.groups[e.group]++ // ends where the next group began
	}
	lo := 0
	for _, hi := range j.groups[:len(j.groups)-1] {
		slices.SortFunc(j.order[lo:hi], j.compare)
		lo = hi
	}
}

func (j *journey) compare(a, b journeyRef) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	x, y := &j.entries[a.entry], &j.entries[b.entry]
	if x.size != y.size || x.size > 8 {
		if c := bytes.Compare(j.value(x), j.value(y)); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(x.ts, y.ts); c != 0 {
		return c
	}
	return cmp.Compare(a.entry, b.entry)
}

func (j *journey) value(e *journeyEntry) []byte {
	return j.tables[e.table].body[e.at : e.at+e.size]
}

// name gives what the journey calls a row: method and route of a request, else the
// row's name.
func (j *journey) name(e *journeyEntry) uint32 {
	s := &j.tables[e.table]
	if e.table != requests || s.idx[cRoute][e.row] == 0 {
		return s.idx[cName][e.row]
	}
	method, route := s.idx[cMethod][e.row], s.idx[cRoute][e.row]
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

// kinds are the words of the column kind.
var kinds = [tableCount]string{requests: "request", spans: "span", events: "event"}

// write writes the block of a range of rows.
func (j *journey) write(n *native, rows between) {
	order := j.order[rows.lo:rows.hi]
	if j.withTraces {
		n.block(13)
	} else {
		n.block(12)
	}
	j.lowCard(n, "project", order, func(e *journeyEntry) uint32 { return j.tables[e.table].idx[cProject][e.row] })
	j.lowCard(n, "key", order, func(e *journeyEntry) uint32 { return e.key })
	n.column("value", typeString)
	for _, o := range order {
		n.body = appendBlob(n.body, j.value(&j.entries[o.entry]))
	}
	n.column("ts", typeTime)
	for _, o := range order {
		n.body = binary.LittleEndian.AppendUint64(n.body, uint64(j.entries[o.entry].ts))
	}
	var kind [tableCount]uint32
	for t := range kind {
		kind[t] = j.dict.lookup([]byte(kinds[t]))
	}
	j.lowCard(n, "kind", order, func(e *journeyEntry) uint32 { return kind[e.table] })
	n.column("rid", "UInt64")
	for _, o := range order {
		e := &j.entries[o.entry]
		n.body = binary.LittleEndian.AppendUint64(n.body, j.tables[e.table].u64(cRID, int(e.row)))
	}
	j.lowCard(n, "service", order, func(e *journeyEntry) uint32 { return j.tables[e.table].idx[cService][e.row] })
	j.lowCard(n, "name", order, j.name)
	n.column("status", "UInt16")
	for _, o := range order {
		status := uint16(0)
		if e := &j.entries[o.entry]; e.table != events {
			status = j.tables[e.table].u16(cStatus, int(e.row))
		}
		n.body = binary.LittleEndian.AppendUint16(n.body, status)
	}
	n.column("duration_ms", "Float32")
	for _, o := range order {
		ms := float32(0)
		if e := &j.entries[o.entry]; e.table != events {
			ms = float32(float64(j.tables[e.table].u64(cDuration, int(e.row))) / 1e6)
		}
		n.body = binary.LittleEndian.AppendUint32(n.body, math.Float32bits(ms))
	}
	n.column("ttl_days", "UInt16")
	for _, o := range order {
		e := &j.entries[o.entry]
		n.body = binary.LittleEndian.AppendUint16(n.body, j.tables[e.table].u16(cTTLDays, int(e.row)))
	}
	n.column("unit", "UInt64")
	n.repeat64(j.unit)
	if !j.withTraces {
		return
	}
	n.column("trace_id", "FixedString(16)")
	for _, o := range order {
		e := &j.entries[o.entry]
		n.body = append(n.body, j.tables[e.table].id16(cTraceID, int(e.row))...)
	}
}

func (j *journey) lowCard(n *native, name string, order []journeyRef, get func(*journeyEntry) uint32) {
	n.column(name, typeLowCard)
	n.lowCardPrefix()
	j.idx = j.idx[:0]
	for _, o := range order {
		j.idx = append(j.idx, get(&j.entries[o.entry]))
	}
	n.lowCard(j.idx)
}
