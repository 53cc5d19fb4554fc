package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/trackwayhq/trackway/internal/schema"
)

// rollups makes the rows of lat_m, lat_q and lat_h, counts by latency bucket, and of
// cnt_m and cnt_h, counts by status, of the unit's requests. All are sums, so that
// those of units add up.
type rollups struct {
	endpoints   []endpoint
	endpointIDs map[endpoint]uint32
	rank        []uint32 // by endpoint: its place by service, route and method
	order       []uint32
	lat         [3]rollup // minute, quarter, hour
	cnt         [2]rollup // minute, hour
	all         []*rollup
	dict        *dictionary
}

// endpoint is what all rollups of requests are by.
type endpoint struct{ service, route, method uint32 }

// rollup is one table.
type rollup struct {
	table, columns string
	period         string // name of its column
	seconds        uint32
	counts         bool // by status, with bytes and durations

	project uint32
	start   uint32            // of the period being added up
	cells   map[uint64]uint32 // places in out of the period's cells: by endpoint, and bucket or status
	from    int               // of the period's cells in out
	out     []cell
	idx     []uint32
	in      *rollups
}

// cell is a row of a rollup.
type cell struct {
	project, start, endpoint uint32
	by                       uint16 // latency bucket or status
	cnt, weight, bytes, ns   uint64
}

func newRollup(table, period string, seconds uint32, counts bool) rollup {
	columns := "project, " + period + ", service, route, method, "
	if counts {
		columns += "status, cnt, weight, bytes, dur_ns, ttl_days"
	} else {
		columns += "b, cnt, weight, ttl_days"
	}
	return rollup{table: table, columns: columns, period: period, seconds: seconds, counts: counts, cells: map[uint64]uint32{}}
}

func (r *rollups) tables() []*rollup { return r.all }

func (r *rollups) reset(dict *dictionary) {
	if r.all == nil {
		r.endpointIDs = map[endpoint]uint32{}
		r.lat = [3]rollup{
			newRollup("lat_m", "minute", 60, false), newRollup("lat_q", "quarter", 900, false), newRollup("lat_h", "hour", 3600, false),
		}
		r.cnt = [2]rollup{newRollup("cnt_m", "minute", 60, true), newRollup("cnt_h", "hour", 3600, true)}
		r.all = []*rollup{&r.lat[0], &r.lat[1], &r.lat[2], &r.cnt[0], &r.cnt[1]}
	}
	r.dict = dict
	r.endpoints = r.endpoints[:0]
	clear(r.endpointIDs)
	for _, t := range r.all {
		t.in = r
		t.out, t.from, t.project, t.start = t.out[:0], 0, 0, 0
		clear(t.cells)
	}
}

// make adds up the unit's requests, which come by project and time, so that of each
// rollup one period of one project is open at a time. What a row does not change
// between minutes is added up by minute, and the minutes into the longer periods.
func (r *rollups) make(e *Encoder) {
	r.reset(&e.dict)
	s := &e.sorted[requests]
	service, route, method, project := s.idx[cService], s.idx[cRoute], s.idx[cMethod], s.idx[cProject]
	last, id := endpoint{unranked, 0, 0}, uint32(0)
	lat, cnt := &r.lat[0], &r.cnt[0]
	for row := range s.rows {
		if at := (endpoint{service[row], route[row], method[row]}); at != last {
			last, id = at, r.endpoint(at)
		}
		minute := startOf(s.u64(cTime, row), 60)
		weight, ns := uint64(s.u32(cWeight, row)), s.u64(cDuration, row)
		lat.open(project[row], minute)
		cnt.open(project[row], minute)
		c := lat.cell(id, uint16(schema.Bucket(ns)))
		c.cnt++
		c.weight += weight
		c = cnt.cell(id, s.u16(cStatus, row))
		c.cnt++
		c.weight += weight
		c.bytes += s.u64(cRequestBytes, row) + s.u64(cResponseBytes, row)
		c.ns += ns
	}
	r.rankEndpoints()
	lat.close()
	cnt.close()
	r.lat[1].addUp(lat.out)
	r.lat[2].addUp(r.lat[1].out)
	r.cnt[1].addUp(cnt.out)
	for _, t := range r.all {
		t.sort()
	}
}

func (r *rollups) endpoint(at endpoint) uint32 {
	id, ok := r.endpointIDs[at]
	if !ok {
		id = uint32(len(r.endpoints))
		r.endpoints = append(r.endpoints, at)
		r.endpointIDs[at] = id
	}
	return id
}

// rankEndpoints finds each endpoint's place in the order of the tables' keys.
func (r *rollups) rankEndpoints() {
	r.order, r.rank = r.order[:0], r.rank[:0]
	for i := range r.endpoints {
		r.order = append(r.order, uint32(i))
		r.rank = append(r.rank, 0)
	}
	slices.SortFunc(r.order, func(i, j uint32) int {
		a, b := r.endpoints[i], r.endpoints[j]
		if c := bytes.Compare(r.dict.at(a.service), r.dict.at(b.service)); c != 0 {
			return c
		}
		if c := bytes.Compare(r.dict.at(a.route), r.dict.at(b.route)); c != 0 {
			return c
		}
		return bytes.Compare(r.dict.at(a.method), r.dict.at(b.method))
	})
	for place, i := range r.order {
		r.rank[i] = uint32(place)
	}
}

// open begins a period, unless it is the open one.
func (t *rollup) open(project, start uint32) {
	if t.project == project && t.start == start {
		return
	}
	t.close()
	t.project, t.start = project, start
}

func (t *rollup) close() {
	t.from = len(t.out)
	clear(t.cells)
}

// cell gives the cell of the open period.
func (t *rollup) cell(endpoint uint32, by uint16) *cell {
	key := uint64(endpoint)<<16 | uint64(by)
	i, ok := t.cells[key]
	if !ok {
		i = uint32(len(t.out))
		t.out = append(t.out, cell{project: t.project, start: t.start, endpoint: endpoint, by: by})
		t.cells[key] = i
	}
	return &t.out[i]
}

// addUp adds the cells of shorter periods.
func (t *rollup) addUp(cells []cell) {
	for i := range cells {
		from := &cells[i]
		t.open(from.project, from.start-from.start%t.seconds)
		to := t.cell(from.endpoint, from.by)
		to.cnt += from.cnt
		to.weight += from.weight
		to.bytes += from.bytes
		to.ns += from.ns
	}
	t.close()
}

// sort puts the cells of each period in order; the periods are.
func (t *rollup) sort() {
	for lo := 0; lo < len(t.out); {
		hi := lo + 1
		for hi < len(t.out) && t.out[hi].project == t.out[lo].project && t.out[hi].start == t.out[lo].start {
			hi++
		}
		slices.SortFunc(t.out[lo:hi], func(a, b cell) int {
			if c := cmp.Compare(t.in.rank[a.endpoint], t.in.rank[b.endpoint]); c != 0 {
				return c
			}
			return cmp.Compare(a.by, b.by)
		})
		lo = hi
	}
}

func (t *rollup) write(n *native, rows between) {
	out := t.out[rows.lo:rows.hi]
	if t.counts {
		n.block(11)
	} else {
		n.block(9)
	}
	t.idx = lowCardOf(n, t.idx, "project", out, func(c *cell) uint32 { return c.project })
	n.column(t.period, typeSecond)
	for i := range out {
		n.body = binary.LittleEndian.AppendUint32(n.body, out[i].start)
	}
	t.idx = lowCardOf(n, t.idx, "service", out, func(c *cell) uint32 { return t.in.endpoints[c.endpoint].service })
	t.idx = lowCardOf(n, t.idx, "route", out, func(c *cell) uint32 { return t.in.endpoints[c.endpoint].route })
	t.idx = lowCardOf(n, t.idx, "method", out, func(c *cell) uint32 { return t.in.endpoints[c.endpoint].method })
	if t.counts {
		n.column("status", "UInt16")
		for i := range out {
			n.body = binary.LittleEndian.AppendUint16(n.body, out[i].by)
		}
	} else {
		n.column("b", "UInt8")
		for i := range out {
			n.body = append(n.body, byte(out[i].by))
		}
	}
	sumsOf(n, "cnt", out, func(c *cell) uint64 { return c.cnt })
	sumsOf(n, "weight", out, func(c *cell) uint64 { return c.weight })
	if t.counts {
		sumsOf(n, "bytes", out, func(c *cell) uint64 { return c.bytes })
		sumsOf(n, "dur_ns", out, func(c *cell) uint64 { return c.ns })
	}
	n.rollupTTL(len(out))
}

// lowCardOf writes a LowCardinality column of rows. idx is memory for the indices,
// which it gives back.
func lowCardOf[T any](n *native, idx []uint32, name string, rows []T, get func(*T) uint32) []uint32 {
	n.column(name, typeLowCard)
	n.lowCardPrefix()
	idx = idx[:0]
	for i := range rows {
		idx = append(idx, get(&rows[i]))
	}
	n.lowCard(idx)
	return idx
}

// sumsOf writes a column of rows that merges add up.
func sumsOf[T any](n *native, name string, rows []T, get func(*T) uint64) {
	n.column(name, "SimpleAggregateFunction(sum, UInt64)")
	for i := range rows {
		n.body = binary.LittleEndian.AppendUint64(n.body, get(&rows[i]))
	}
}

// rollupTTL writes how long rollups are kept.
func (n *native) rollupTTL(rows int) {
	n.column("ttl_days", "SimpleAggregateFunction(max, UInt16)")
	for range rows {
		n.body = binary.LittleEndian.AppendUint16(n.body, schema.DefaultRollupTTLDays)
	}
}
