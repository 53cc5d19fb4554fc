package queryserver

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// column is a stored column that answers can hold: its name, in which tables it
// is, and how a value is read into a record.
type column struct {
	name  string
	kinds []record.Kind
	read  func(*clickhouse.Reader, *record.Record)
}

var (
	anyKind  = []record.Kind{record.Request, record.Span, record.Event}
	timed    = []record.Kind{record.Request, record.Span}
	requests = []record.Kind{record.Request}
	events   = []record.Kind{record.Event}
)

// columns are in the order of record.JSON. The first three are in every answer.
var columns = []column{
	{"ts", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Time = time.Unix(0, r.Int64()).UTC() }},
	{"rid", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.RID = r.Uint64() }},
	{"service", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Service = r.String() }},
	{"env", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Env = r.String() }},
	{"release", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Release = r.String() }},
	{"instance", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Instance = r.String() }},
	{"name", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Name = r.String() }},
	{"kind", timed, func(r *clickhouse.Reader, o *record.Record) { o.SpanKind = r.String() }},
	{"method", requests, func(r *clickhouse.Reader, o *record.Record) { o.Method = r.String() }},
	{"route", requests, func(r *clickhouse.Reader, o *record.Record) { o.Route = r.String() }},
	{"path", requests, func(r *clickhouse.Reader, o *record.Record) { o.Path = r.String() }},
	{"status", timed, func(r *clickhouse.Reader, o *record.Record) { o.Status = r.Uint16() }},
	{"span_status", timed, func(r *clickhouse.Reader, o *record.Record) { o.SpanStatus = r.String() }},
	{"duration", timed, func(r *clickhouse.Reader, o *record.Record) { o.Duration = r.Uint64() }},
	{"trace_id", anyKind, func(r *clickhouse.Reader, o *record.Record) { r.Fixed(o.TraceID[:]) }},
	{"span_id", anyKind, func(r *clickhouse.Reader, o *record.Record) { r.Fixed(o.SpanID[:]) }},
	{"parent_span_id", timed, func(r *clickhouse.Reader, o *record.Record) { r.Fixed(o.ParentSpanID[:]) }},
	{"trace_state", timed, func(r *clickhouse.Reader, o *record.Record) { o.TraceState = r.String() }},
	{"flags", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Flags = r.Uint32() }},
	{"request_id", timed, func(r *clickhouse.Reader, o *record.Record) { o.RequestID = r.String() }},
	{"user_agent", timed, func(r *clickhouse.Reader, o *record.Record) { o.UserAgent = r.String() }},
	{"client_ip", timed, func(r *clickhouse.Reader, o *record.Record) { o.ClientIP = r.String() }},
	{"request_bytes", timed, func(r *clickhouse.Reader, o *record.Record) { o.RequestBytes = r.Uint64() }},
	{"response_bytes", timed, func(r *clickhouse.Reader, o *record.Record) { o.ResponseBytes = r.Uint64() }},
	{"severity", events, func(r *clickhouse.Reader, o *record.Record) { o.Severity = r.Uint8() }},
	{"message", events, func(r *clickhouse.Reader, o *record.Record) { o.Message = r.String() }},
	{"error_type", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.ErrorType = r.String() }},
	{"error_message", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.ErrorMessage = r.String() }},
	{"error_stack", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.ErrorStack = r.String() }},
	{"error_group", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.ErrorGroup = r.Uint64() }},
	{"attributes", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Attributes = readPairs(r) }},
	{"resource", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Resource = readPairs(r) }},
	{"correlation", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Correlation = readPairs(r) }},
	{"request_headers", requests, func(r *clickhouse.Reader, o *record.Record) { o.RequestHeaders = readPairs(r) }},
	{"response_headers", requests, func(r *clickhouse.Reader, o *record.Record) { o.ResponseHeaders = readPairs(r) }},
	{"request_body", requests, func(r *clickhouse.Reader, o *record.Record) { o.RequestBody = r.String() }},
	{"response_body", requests, func(r *clickhouse.Reader, o *record.Record) { o.ResponseBody = r.String() }},
	{"scope_name", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.ScopeName = r.String() }},
	{"scope_version", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.ScopeVersion = r.String() }},
	{"links", timed, func(r *clickhouse.Reader, o *record.Record) { o.Links = r.String() }},
	{"marks", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Marks = r.String() }},
	{"weight", anyKind, func(r *clickhouse.Reader, o *record.Record) { o.Weight = r.Uint32() }},
}

// always is how many of the columns every answer has: identity and service.
const always = 3

func readPairs(r *clickhouse.Reader) record.Pairs {
	n := r.Len()
	var out record.Pairs
	for i := 0; i < n && r.Err() == nil; i++ {
		out = append(out, record.Pair{Key: r.String(), Value: r.String()})
	}
	return out
}

// columnSet is what one statement selects from one table.
type columnSet struct {
	kind    record.Kind
	columns []column
	// unasked are columns that are read only because they hold attributes, and
	// maps that would be made of columns that were asked for.
	unasked []string
}

// columnsOf picks the named columns of a kind; all of them when none is named.
// Names are those of record.JSON.
func columnsOf(kind record.Kind, names []string) (columnSet, error) {
	set := columnSet{kind: kind}
	for _, name := range names {
		if !slices.ContainsFunc(columns, func(c column) bool { return c.name == stored(name) && slices.Contains(c.kinds, kind) }) && !implied(name) {
			return set, fmt.Errorf("%ss have no column %q; they have %s", kind, name, strings.Join(columnNames(kind), ", "))
		}
	}
	asked := func(i int, c column) bool {
		return len(names) == 0 || i < always || slices.ContainsFunc(names, func(n string) bool { return stored(n) == c.name })
	}
	held := holding(kind, slices.Contains(names, "attributes"), slices.Contains(names, "resource"))
	for i, c := range columns {
		if !slices.Contains(c.kinds, kind) {
			continue
		}
		switch {
		case asked(i, c):
			set.columns = append(set.columns, c)
		case held[c.name]:
			set.columns = append(set.columns, c)
			set.unasked = append(set.unasked, c.name)
		case c.name == "attributes" || c.name == "resource":
			set.unasked = append(set.unasked, c.name)
		}
	}
	return set, nil
}

// holding gives the columns without which attributes or those of the resource
// cannot be put together.
func holding(kind record.Kind, attributes, resource bool) map[string]bool {
	out := map[string]bool{}
	for i := range record.Promotions {
		p := &record.Promotions[i]
		switch {
		case p.Resource && resource:
			out[p.Column] = true
		case !p.Resource && attributes && p.In(kind):
			out[p.Column], out["kind"], out["marks"] = true, true, true
		}
	}
	return out
}

// stored is the column that a field of the JSON form is read from.
func stored(name string) string {
	if name == "duration_ms" {
		return "duration"
	}
	return name
}

// implied says whether a field of the JSON form is in every answer.
func implied(name string) bool { return name == "id" || name == "type" || name == "project" }

func columnNames(kind record.Kind) []string {
	var names []string
	for _, c := range columns {
		if slices.Contains(c.kinds, kind) && c.name != "rid" {
			names = append(names, c.name)
		}
	}
	return names
}

// list is the SELECT list.
func (s columnSet) list() string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// scan reads one row.
func (s columnSet) scan(r *clickhouse.Reader, project string) record.Record {
	rec := record.Record{Kind: s.kind, Project: project}
	for _, c := range s.columns {
		c.read(r, &rec)
	}
	return rec
}

// json gives what was asked for of a record that scan read.
func (s columnSet) json(rec *record.Record) record.JSON {
	j := rec.JSON()
	j.Clear(s.unasked...)
	return j
}

// table is where records of a kind are stored.
func table(kind record.Kind) string { return kind.String() + "s" }
