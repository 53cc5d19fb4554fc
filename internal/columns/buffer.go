package columns

import (
	"encoding/binary"

	"github.com/trackwayhq/trackway/internal/record"
)

// buffer is a column that is being appended to. It lags behind: rows from n on
// have the default and are written when one comes that has not.
type buffer struct {
	n      int
	data   []byte   // numbers, strings, values of a map
	idx    []uint32 // indices, keys of a map, items of an array
	counts []byte   // entries by row of maps and arrays, as uvarints
}

func (c *buffer) reset() { *c = buffer{data: c.data[:0], idx: c.idx[:0], counts: c.counts[:0]} }

// rows are the rows of one table that are being appended to.
type rows struct {
	n    int
	cols [columnCount]buffer
	// items are each row's item number less that of the row before it.
	items    []byte
	lastItem int // -1 before the first row
}

func (t *rows) reset() {
	t.n, t.items, t.lastItem = 0, t.items[:0], -1
	for i := range t.cols {
		t.cols[i].reset()
	}
}

// fill writes defaults up to row n.
func (c *buffer) fill(s shape, width, n int) {
	gap := n - c.n
	c.n = n
	switch s {
	case fixed:
		c.data = appendZeros(c.data, gap*width)
	case text:
		c.data = appendZeros(c.data, gap)
	case lowCard:
		for range gap {
			c.idx = append(c.idx, 0)
		}
	case pairs, list:
		c.counts = appendZeros(c.counts, gap)
	}
}

func appendZeros(b []byte, n int) []byte {
	const zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for ; n > len(zeros); n -= len(zeros) {
		b = append(b, zeros...)
	}
	return append(b, zeros[:max(n, 0)]...)
}

// next makes the column ready for the value of the current row.
func (t *rows) next(c columnID) *buffer {
	b := &t.cols[c]
	if b.n < t.n {
		b.fill(columnInfos[c].shape, columnInfos[c].width, t.n)
	}
	b.n++
	return b
}

func (t *rows) u8(c columnID, v uint8) {
	if v != 0 {
		b := t.next(c)
		b.data = append(b.data, v)
	}
}

func (t *rows) u16(c columnID, v uint16) {
	if v != 0 {
		b := t.next(c)
		b.data = binary.LittleEndian.AppendUint16(b.data, v)
	}
}

func (t *rows) u32(c columnID, v uint32) {
	if v != 0 {
		b := t.next(c)
		b.data = binary.LittleEndian.AppendUint32(b.data, v)
	}
}

func (t *rows) u64(c columnID, v uint64) {
	if v != 0 {
		b := t.next(c)
		b.data = binary.LittleEndian.AppendUint64(b.data, v)
	}
}

func (t *rows) id8(c columnID, v *[8]byte) {
	if *v != ([8]byte{}) {
		b := t.next(c)
		b.data = append(b.data, v[:]...)
	}
}

func (t *rows) id16(c columnID, v *[16]byte) {
	if *v != ([16]byte{}) {
		b := t.next(c)
		b.data = append(b.data, v[:]...)
	}
}

func (t *rows) text(c columnID, v string) {
	if v != "" {
		b := t.next(c)
		b.data = appendText(b.data, v)
	}
}

func appendText(b []byte, v string) []byte {
	if len(v) < 0x80 {
		b = append(b, byte(len(v)))
	} else {
		b = binary.AppendUvarint(b, uint64(len(v)))
	}
	return append(b, v...)
}

func (t *rows) lowCard(d *dictionary, c columnID, v string) {
	if v != "" {
		b := t.next(c)
		b.idx = append(b.idx, d.index(v))
	}
}

func (t *rows) pairs(d *dictionary, c columnID, v record.Pairs) {
	if len(v) == 0 {
		return
	}
	b := t.next(c)
	b.counts = binary.AppendUvarint(b.counts, uint64(len(v)))
	for i := range v {
		b.idx = append(b.idx, d.index(v[i].Key))
		b.data = appendText(b.data, v[i].Value)
	}
}

func (t *rows) list(d *dictionary, c columnID, v []string) {
	if len(v) == 0 {
		return
	}
	b := t.next(c)
	b.counts = binary.AppendUvarint(b.counts, uint64(len(v)))
	for _, s := range v {
		b.idx = append(b.idx, d.index(s))
	}
}

// append appends a record as a row of the table that it belongs to.
func (t *rows) append(id tableID, d *dictionary, r *record.Record, item int) {
	t.lowCard(d, cProject, r.Project)
	t.u64(cTime, uint64(r.Time.UnixNano()))
	t.u64(cRID, r.RID)
	t.lowCard(d, cService, r.Service)
	t.lowCard(d, cEnv, r.Env)
	t.lowCard(d, cRelease, r.Release)
	t.text(cInstance, r.Instance)
	t.lowCard(d, cName, r.Name)
	t.id16(cTraceID, &r.TraceID)
	t.id8(cSpanID, &r.SpanID)
	t.u32(cFlags, r.Flags)
	if id == events {
		t.u8(cSeverity, r.Severity)
		t.text(cMessage, r.Message)
	} else {
		t.lowCard(d, cKind, r.SpanKind)
		t.u16(cStatus, r.Status)
		t.lowCard(d, cSpanStatus, r.SpanStatus)
		t.u64(cDuration, r.Duration)
		t.id8(cParentSpanID, &r.ParentSpanID)
		t.text(cTraceState, r.TraceState)
		t.text(cRequestID, r.RequestID)
		t.lowCard(d, cUserAgent, r.UserAgent)
		t.text(cClientIP, r.ClientIP)
		t.u64(cRequestBytes, r.RequestBytes)
		t.u64(cResponseBytes, r.ResponseBytes)
		t.text(cLinks, r.Links)
	}
	if id == requests {
		t.lowCard(d, cMethod, r.Method)
		t.lowCard(d, cRoute, r.Route)
		t.text(cPath, r.Path)
		t.pairs(d, cRequestHeaders, r.RequestHeaders)
		t.pairs(d, cResponseHeaders, r.ResponseHeaders)
		t.text(cRequestBody, r.RequestBody)
		t.text(cResponseBody, r.ResponseBody)
	}
	t.lowCard(d, cErrorType, r.ErrorType)
	t.text(cErrorMessage, r.ErrorMessage)
	t.text(cErrorStack, r.ErrorStack)
	t.u64(cErrorGroup, r.ErrorGroup)
	t.pairs(d, cAttributes, r.Attributes)
	t.pairs(d, cResource, r.Resource)
	t.pairs(d, cCorrelation, r.Correlation)
	t.list(d, cFacetItems, r.FacetItems)
	t.lowCard(d, cScopeName, r.ScopeName)
	t.lowCard(d, cScopeVersion, r.ScopeVersion)
	t.lowCard(d, cMarks, r.Marks)
	t.u32(cWeight, r.Weight)
	t.u16(cTTLDays, r.TTLDays)

	t.items = binary.AppendUvarint(t.items, uint64(item-t.lastItem))
	t.lastItem = item
	t.n++
}
