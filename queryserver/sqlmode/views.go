package sqlmode

import (
	"fmt"
	"strings"

	"github.com/trackwayhq/trackway/internal/schema"
)

// View is a table as SQL mode shows it.
type View struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Columns []Column `json:"columns"`

	table string
}

// Column is a column of a view.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type" doc:"ClickHouse's type."`
	Doc  string `json:"doc"`

	expr string // over the table's columns; empty: the column of the same name
}

// Expressions that several views share. Ids are text as everywhere in the API. The
// t in front keeps a column from being taken for the alias of the same name.
const (
	recordID   = "concat(lower(leftPad(hex(toUnixTimestamp64Nano(t.ts)), 16, '0')), lower(leftPad(hex(t.rid), 16, '0')))"
	durationMS = "t.duration / 1e6"
	weight     = "t.weight / 256"
	text       = "LowCardinality(String)"
	textMap    = "Map(LowCardinality(String), String)"
	instant    = "DateTime64(9, 'UTC')"
)

// hexID shows an id of fixed length as the API does: lower-case hex digits, and
// nothing for an absent one, which is stored as zeros.
func hexID(column string, bytes int) string {
	return fmt.Sprintf("if(t.%[1]s = toFixedString('', %[2]d), '', lower(hex(t.%[1]s)))", column, bytes)
}

var (
	colID    = Column{"id", "String", "The record's id, as in the API: hex of time and row id.", recordID}
	colTS    = Column{"ts", instant, "When it began. Windows over it are what makes a statement fast.", ""}
	colTrace = Column{"trace_id", "String", "32 hex digits, or empty.", hexID("trace_id", 16)}
	colSpan  = Column{"span_id", "String", "16 hex digits, or empty.", hexID("span_id", 8)}
	colPar   = Column{"parent_span_id", "String", "16 hex digits, or empty.", hexID("parent_span_id", 8)}
	colMS    = Column{"duration_ms", "Float64", "Milliseconds.", durationMS}
	colNS    = Column{"duration", "UInt64", "Nanoseconds.", ""}
	colItems = Column{"facet_items", "Array(LowCardinality(String))", "key=value of attributes with few values; has(facet_items, 'plan=pro') uses an index.", ""}
	colW     = Column{"weight", "Float64", "How many the record stands for where senders sample; 1 otherwise.", weight}

	source = []Column{
		{"service", text, "service.name", ""}, {"env", text, "deployment.environment.name", ""},
		{"release", text, "service.version", ""}, {"instance", "String", "service.instance.id", ""},
	}
	errorColumns = []Column{
		{"error_type", text, "Type of the exception, or empty.", ""}, {"error_message", "String", "", ""}, {"error_stack", "String", "", ""},
		{"error_group", "String", "16 hex digits of the group the error belongs to, or empty.", "if(t.error_group = 0, '', lower(leftPad(hex(t.error_group), 16, '0')))"},
	}
	mapColumns = []Column{
		{"attributes", textMap, "What has no column of its own; attributes['plan'] is empty where absent.", ""},
		{"resource", textMap, "Attributes of the sender.", ""},
		{"correlation", textMap, "Correlation keys: correlation['order_id'].", ""},
	}
	rest = []Column{
		colItems, {"scope_name", text, "Instrumentation scope.", ""}, {"scope_version", text, "", ""},
		{"marks", text, "What happened to the record on its way: clamped, truncated, …", ""}, colW,
	}
	rollupKeys = []Column{{"service", text, "", ""}, {"route", text, "", ""}, {"method", text, "", ""}}
)

func columns(groups ...[]Column) []Column {
	var all []Column
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// Views are what statements read, by stable names: a column may be added, none is
// renamed or taken away.
var Views = []View{
	{Name: "requests", table: "requests", Doc: "One row for each request a service handled.", Columns: columns(
		[]Column{colID, colTS, {"kind", text, "http, rpc, messaging, faas or job.", ""}}, source,
		[]Column{
			{"name", text, "Name of the span.", ""}, {"method", text, "", ""}, {"route", text, "The route's template.", ""}, {"path", "String", "", ""},
			{"status", "UInt16", "HTTP status, or what a gRPC code maps to.", ""}, {"span_status", text, "unset, ok or error.", ""},
			colNS, colMS, colTrace, colSpan, colPar, {"trace_state", "String", "", ""},
			{"request_id", "String", "", ""}, {"user_agent", text, "", ""}, {"client_ip", "String", "", ""},
			{"request_bytes", "UInt64", "", ""}, {"response_bytes", "UInt64", "", ""},
		}, errorColumns, mapColumns,
		[]Column{
			{"request_headers", textMap, "", ""}, {"response_headers", textMap, "", ""},
			{"request_body", "String", "", ""}, {"response_body", "String", "", ""}, {"links", "String", "JSON", ""},
		}, rest)},
	{Name: "spans", table: "spans", Doc: "One row for each span that is no request.", Columns: columns(
		[]Column{colID, colTS, {"kind", text, "client, server, internal, producer or consumer.", ""}}, source,
		[]Column{
			{"name", text, "", ""}, {"span_status", text, "unset, ok or error.", ""}, colNS, colMS, colTrace, colSpan, colPar,
			{"trace_state", "String", "", ""},
		}, errorColumns, mapColumns, []Column{{"links", "String", "JSON", ""}}, rest)},
	{Name: "events", table: "events", Doc: "One row for each log record and span event, exceptions too.", Columns: columns(
		[]Column{colID, colTS}, source,
		[]Column{
			{"name", text, "", ""}, {"severity", "UInt8", "1 to 24 as in OpenTelemetry: 9 info, 13 warn, 17 error.", ""},
			{"message", "String", "", ""}, colTrace, colSpan,
		}, errorColumns, mapColumns, rest)},
	{Name: "journey", table: "journey", Doc: "One row for each correlation key of each record; fast by key and value.", Columns: []Column{
		{"key", text, "", ""}, {"value", "String", "", ""}, colTS, {"kind", text, "request, span or event.", ""}, colID,
		{"service", text, "", ""}, {"name", text, "", ""}, {"status", "UInt16", "", ""}, {"duration_ms", "Float32", "", ""}, colTrace,
	}},
	rollup("requests_by_minute", "cnt_m", "minute", "Requests by minute and exact status", countColumns),
	rollup("requests_by_hour", "cnt_h", "hour", "Requests by hour and exact status", countColumns),
	rollup("latency_by_minute", "lat_m", "minute", "Latency by minute, in logarithmic buckets", latencyColumns),
	rollup("latency_by_quarter", "lat_q", "quarter", "Latency by quarter of an hour, in logarithmic buckets", latencyColumns),
	rollup("latency_by_hour", "lat_h", "hour", "Latency by hour, in logarithmic buckets", latencyColumns),
	{Name: "facets", table: "facets", Doc: "How often a value of an attribute with few values occurs in an hour. Add up requests: an hour may be in several rows.", Columns: []Column{
		{"hour", "DateTime('UTC')", "", ""}, {"field", text, "", ""}, {"value", "String", "", ""},
		{"requests", "UInt64", "", "toUInt64(t.cnt)"}, {"weighted", "Float64", "", weight},
	}},
}

var (
	countColumns = []Column{
		{"status", "UInt16", "", ""}, {"requests", "UInt64", "", "toUInt64(t.cnt)"}, {"weighted", "Float64", "With sampling undone.", weight},
		{"bytes", "UInt64", "Response bytes.", "toUInt64(t.bytes)"}, {"duration", "UInt64", "Nanoseconds, in sum.", "toUInt64(t.dur_ns)"},
	}
	latencyColumns = []Column{
		{"from_ms", "Float32", "Start of the bucket, milliseconds.", fmt.Sprintf("reinterpretAsFloat32(bitShiftLeft(toUInt32(t.b) + %d, 20))", schema.BucketLow)},
		{"to_ms", "Float32", "End of the bucket.", fmt.Sprintf("reinterpretAsFloat32(bitShiftLeft(toUInt32(t.b) + %d, 20))", schema.BucketLow+1)},
		{"requests", "UInt64", "", "toUInt64(t.cnt)"}, {"weighted", "Float64", "With sampling undone.", weight},
	}
)

// rollup is a view of one of the tables of sums.
func rollup(name, table, step, doc string, figures []Column) View {
	doc += ". Kept longer than the requests. Add up the figures: a " + step + " may be in several rows."
	return View{Name: name, table: table, Doc: doc, Columns: columns([]Column{{step, "DateTime('UTC')", "Start of the " + step + ".", ""}}, rollupKeys, figures)}
}

// isView says whether there is a view of the name. Names are case-sensitive.
func isView(name string) bool {
	for _, v := range Views {
		if v.Name == name {
			return true
		}
	}
	return false
}

// projectParam is the parameter that holds the project in statements that run.
const projectParam = "trackway_project"

// expression writes the view as a common table expression over its table.
func (v View) expression(database string) string {
	list := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		list[i] = c.Name
		if c.expr != "" {
			list[i] = c.expr + " AS " + c.Name
		}
	}
	return fmt.Sprintf("%s AS (SELECT %s FROM %s.%s AS t PREWHERE t.project = {%s:String})", v.Name, strings.Join(list, ", "), database, v.table, projectParam)
}
