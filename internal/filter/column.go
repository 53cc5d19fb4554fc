package filter

import (
	"slices"

	"github.com/trackwayhq/trackway/internal/record"
)

// Type is how a column compares.
type Type uint8

// The types of columns.
const (
	Text Type = iota + 1
	Uint
	Time
	// HexID is bytes written as hex: it takes = and != only.
	HexID
	// Map holds text by key.
	Map
)

// Column is a field that filters can name.
type Column struct {
	Name string
	Type Type
	// Source is the stored column that holds the value; it differs from Name
	// for duration_ms, which is read from duration.
	Source string
	// Duration says that the column takes duration literals.
	Duration bool
	// Size says that the column takes size literals.
	Size bool

	kinds  kindSet
	scale  int64 // units of Source in one unit of Name
	digits int   // HexID: how many hex digits

	text  func(*record.Record) string
	uint  func(*record.Record) uint64
	id    func(*record.Record) []byte
	entry func(*record.Record, string) (string, bool)
}

// In says whether records of the kind have the column.
func (c *Column) In(k record.Kind) bool { return c.kinds&kinds(k) != 0 }

type kindSet uint8

func kinds(ks ...record.Kind) kindSet {
	var s kindSet
	for _, k := range ks {
		s |= 1 << k
	}
	return s
}

var (
	requestOnly = kinds(record.Request)
	timed       = kinds(record.Request, record.Span)
	eventOnly   = kinds(record.Event)
	every       = kinds(record.Request, record.Span, record.Event)
)

// columns is every column a filter can name, in the order of the schema.
var columns = []*Column{
	{Name: "type", Type: Text, kinds: every, text: func(r *record.Record) string { return r.Kind.String() }},
	{Name: "ts", Type: Time, kinds: every},
	textColumn("kind", timed, func(r *record.Record) string { return r.SpanKind }),
	textColumn("service", every, func(r *record.Record) string { return r.Service }),
	textColumn("env", every, func(r *record.Record) string { return r.Env }),
	textColumn("release", every, func(r *record.Record) string { return r.Release }),
	textColumn("instance", every, func(r *record.Record) string { return r.Instance }),
	textColumn("name", every, func(r *record.Record) string { return r.Name }),
	textColumn("method", requestOnly, func(r *record.Record) string { return r.Method }),
	textColumn("route", requestOnly, func(r *record.Record) string { return r.Route }),
	textColumn("path", requestOnly, func(r *record.Record) string { return r.Path }),
	uintColumn("status", timed, func(r *record.Record) uint64 { return uint64(r.Status) }),
	textColumn("span_status", timed, func(r *record.Record) string { return r.SpanStatus }),
	{Name: "duration", Type: Uint, Duration: true, scale: 1, kinds: timed, uint: duration},
	{Name: "duration_ms", Source: "duration", Type: Uint, Duration: true, scale: 1e6, kinds: timed, uint: duration},
	{Name: "trace_id", Type: HexID, digits: 32, kinds: every, id: func(r *record.Record) []byte { return r.TraceID[:] }},
	{Name: "span_id", Type: HexID, digits: 16, kinds: every, id: func(r *record.Record) []byte { return r.SpanID[:] }},
	{Name: "parent_span_id", Type: HexID, digits: 16, kinds: timed, id: func(r *record.Record) []byte { return r.ParentSpanID[:] }},
	textColumn("request_id", timed, func(r *record.Record) string { return r.RequestID }),
	textColumn("user_agent", timed, func(r *record.Record) string { return r.UserAgent }),
	textColumn("client_ip", timed, func(r *record.Record) string { return r.ClientIP }),
	{Name: "request_bytes", Type: Uint, Size: true, scale: 1, kinds: timed, uint: func(r *record.Record) uint64 { return r.RequestBytes }},
	{Name: "response_bytes", Type: Uint, Size: true, scale: 1, kinds: timed, uint: func(r *record.Record) uint64 { return r.ResponseBytes }},
	uintColumn("severity", eventOnly, func(r *record.Record) uint64 { return uint64(r.Severity) }),
	textColumn("message", eventOnly, func(r *record.Record) string { return r.Message }),
	textColumn("error_type", every, func(r *record.Record) string { return r.ErrorType }),
	textColumn("error_message", every, func(r *record.Record) string { return r.ErrorMessage }),
	textColumn("error_stack", every, func(r *record.Record) string { return r.ErrorStack }),
	{Name: "error_group", Type: HexID, digits: 16, kinds: every, uint: func(r *record.Record) uint64 { return r.ErrorGroup }},
	textColumn("request_body", requestOnly, func(r *record.Record) string { return r.RequestBody }),
	textColumn("response_body", requestOnly, func(r *record.Record) string { return r.ResponseBody }),
	textColumn("scope_name", every, func(r *record.Record) string { return r.ScopeName }),
	textColumn("scope_version", every, func(r *record.Record) string { return r.ScopeVersion }),
	textColumn("marks", every, func(r *record.Record) string { return r.Marks }),
	// Of these two, columns hold a part: see record.Promotion.
	{Name: "attributes", Type: Map, kinds: every, entry: (*record.Record).Attribute},
	{Name: "resource", Type: Map, kinds: every, entry: (*record.Record).ResourceAttribute},
	correlation,
	mapColumn("request_headers", requestOnly, func(r *record.Record) record.Pairs { return r.RequestHeaders }),
	mapColumn("response_headers", requestOnly, func(r *record.Record) record.Pairs { return r.ResponseHeaders }),
}

// correlation holds keys, which are identifiers; see Value.Numeric.
var correlation = mapColumn("correlation", every, func(r *record.Record) record.Pairs { return r.Correlation })

// AnyKey stands for the column of a bare name that is no column: of each record it
// reads the correlation key of that name, or the attribute where there is no such
// key. It has no name.
var AnyKey = &Column{Type: Map, kinds: every, entry: func(r *record.Record, key string) (string, bool) {
	if v, ok := r.Correlation.Get(key); ok {
		return v, true
	}
	return r.Attribute(key)
}}

func duration(r *record.Record) uint64 { return r.Duration }

func textColumn(name string, in kindSet, get func(*record.Record) string) *Column {
	return &Column{Name: name, Type: Text, kinds: in, text: get}
}

func uintColumn(name string, in kindSet, get func(*record.Record) uint64) *Column {
	return &Column{Name: name, Type: Uint, scale: 1, kinds: in, uint: get}
}

func mapColumn(name string, in kindSet, get func(*record.Record) record.Pairs) *Column {
	entry := func(r *record.Record, key string) (string, bool) { return get(r).Get(key) }
	return &Column{Name: name, Type: Map, kinds: in, entry: entry}
}

var columnByName = func() map[string]*Column {
	m := make(map[string]*Column, len(columns))
	for _, c := range columns {
		if c.Source == "" {
			c.Source = c.Name
		}
		m[c.Name] = c
	}
	return m
}()

// Columns gives every column a filter can name, in the order of the schema.
func Columns() []*Column { return slices.Clone(columns) }

// ColumnNamed finds a column by its name; nil when filters know none of that name.
func ColumnNamed(name string) *Column { return columnByName[name] }
