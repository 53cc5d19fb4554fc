package columns

import (
	"encoding/binary"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// Records makes records of the part's rows: requests, spans, events, each in the
// order they were appended. It is for those who look at single records, the live
// tail and dead letters, and costs an allocation for most strings.
func (p *Part) Records() []record.Record {
	records, _ := p.records()
	return records
}

// records gives the rows as records, and the number of each one's item.
func (p *Part) records() ([]record.Record, []int) {
	out := make([]record.Record, 0, p.Rows())
	items := make([]int, 0, p.Rows())
	for t, v := range p.tables {
		if v == nil {
			continue
		}
		id, rng := tableID(t), p.rows[t]
		from := len(out)
		for range rng.len() {
			out = append(out, record.Record{Kind: id.kind(), Time: time.Unix(0, 0).UTC()})
		}
		for _, c := range tableColumns[t] {
			v.read(p.in, c, rng, out[from:])
		}
		items = v.appendItems(items, rng)
	}
	return out, items
}

func (t *tableView) appendItems(items []int, rng between) []int {
	at := -1
	data := t.items.data
	for row := range rng.hi {
		d, n := uvarint(data)
		if t.items.form == formFull {
			data = data[n:]
		} else {
			d = uint64(t.items.data[0])
		}
		at += int(d)
		if row >= rng.lo {
			items = append(items, at)
		}
	}
	return items
}

// read sets one field of the records of a range of rows.
func (t *tableView) read(in *parsed, c columnID, rng between, out []record.Record) {
	v, info := &t.cols[c], &columnInfos[c]
	if v.form == formDefault {
		return
	}
	switch info.shape {
	case fixed:
		for i := range out {
			b := v.data
			if v.form == formFull {
				b = b[(rng.lo+i)*info.width:]
			}
			setNumber(&out[i], c, b[:info.width])
		}
	case lowCard:
		for i := range out {
			row := 0
			if v.form == formFull {
				row = rng.lo + i
			}
			*stringOf(&out[i], c) = string(in.dict[indexAt(v.idx, in.width, row)])
		}
	case text:
		data := v.data
		for row := range rng.hi {
			var s []byte
			s, data = cutText(data)
			if row >= rng.lo {
				*stringOf(&out[row-rng.lo], c) = string(s)
			}
		}
	case pairs, list:
		t.readEntries(in, c, rng, out)
	}
}

func (t *tableView) readEntries(in *parsed, c columnID, rng between, out []record.Record) {
	v := &t.cols[c]
	counts, data, entry := v.counts, v.data, 0
	for row := range rng.hi {
		count, n := uvarint(counts)
		counts = counts[n:]
		for range count {
			key := in.dict[indexAt(v.idx, in.width, entry)]
			entry++
			var value []byte
			if columnInfos[c].shape == pairs {
				value, data = cutText(data)
			}
			if row < rng.lo {
				continue
			}
			r := &out[row-rng.lo]
			if columnInfos[c].shape == list {
				r.FacetItems = append(r.FacetItems, string(key))
				continue
			}
			p := pairsOf(r, c)
			*p = append(*p, record.Pair{Key: string(key), Value: string(value)})
		}
	}
}

// cutText gives the first string of checked data, and what is behind it.
func cutText(data []byte) (s, rest []byte) {
	size, n := uvarint(data)
	end := n + int(size)
	return data[n:end], data[end:]
}

func setNumber(r *record.Record, c columnID, b []byte) {
	switch c {
	case cTime:
		r.Time = time.Unix(0, int64(binary.LittleEndian.Uint64(b))).UTC()
	case cRID:
		r.RID = binary.LittleEndian.Uint64(b)
	case cSeverity:
		r.Severity = b[0]
	case cStatus:
		r.Status = binary.LittleEndian.Uint16(b)
	case cDuration:
		r.Duration = binary.LittleEndian.Uint64(b)
	case cTraceID:
		copy(r.TraceID[:], b)
	case cSpanID:
		copy(r.SpanID[:], b)
	case cParentSpanID:
		copy(r.ParentSpanID[:], b)
	case cFlags:
		r.Flags = binary.LittleEndian.Uint32(b)
	case cRequestBytes:
		r.RequestBytes = binary.LittleEndian.Uint64(b)
	case cResponseBytes:
		r.ResponseBytes = binary.LittleEndian.Uint64(b)
	case cErrorGroup:
		r.ErrorGroup = binary.LittleEndian.Uint64(b)
	case cWeight:
		r.Weight = binary.LittleEndian.Uint32(b)
	case cTTLDays:
		r.TTLDays = binary.LittleEndian.Uint16(b)
	}
}

// stringOf gives the field of a text or LowCardinality column.
func stringOf(r *record.Record, c columnID) *string {
	switch c {
	case cProject:
		return &r.Project
	case cKind:
		return &r.SpanKind
	case cService:
		return &r.Service
	case cEnv:
		return &r.Env
	case cRelease:
		return &r.Release
	case cInstance:
		return &r.Instance
	case cName:
		return &r.Name
	case cMethod:
		return &r.Method
	case cRoute:
		return &r.Route
	case cPath:
		return &r.Path
	case cMessage:
		return &r.Message
	case cSpanStatus:
		return &r.SpanStatus
	case cTraceState:
		return &r.TraceState
	case cRequestID:
		return &r.RequestID
	case cUserAgent:
		return &r.UserAgent
	case cClientIP:
		return &r.ClientIP
	case cErrorType:
		return &r.ErrorType
	case cErrorMessage:
		return &r.ErrorMessage
	case cErrorStack:
		return &r.ErrorStack
	case cRequestBody:
		return &r.RequestBody
	case cResponseBody:
		return &r.ResponseBody
	case cScopeName:
		return &r.ScopeName
	case cScopeVersion:
		return &r.ScopeVersion
	case cLinks:
		return &r.Links
	case cMarks:
		return &r.Marks
	}
	panic("columns: " + columnInfos[c].name + " is no string")
}

// pairsOf gives the field of a map column.
func pairsOf(r *record.Record, c columnID) *record.Pairs {
	switch c {
	case cAttributes:
		return &r.Attributes
	case cResource:
		return &r.Resource
	case cCorrelation:
		return &r.Correlation
	case cRequestHeaders:
		return &r.RequestHeaders
	case cResponseHeaders:
		return &r.ResponseHeaders
	}
	panic("columns: " + columnInfos[c].name + " is no map")
}
