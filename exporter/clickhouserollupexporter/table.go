package clickhouserollupexporter

import (
	"fmt"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/trackwayhq/trackway/internal/record"
)

// table names one of the tables that units are inserted into.
type table int

const (
	tableRequests table = iota
	tableSpans
	tableEvents
	tableCount
)

func (t table) String() string { return [...]string{"requests", "spans", "events"}[t] }

// tableOf gives the table of a kind of record.
func tableOf(k record.Kind) table {
	switch k {
	case record.Request:
		return tableRequests
	case record.Span:
		return tableSpans
	}
	return tableEvents
}

// block is the columns of one table with their buffers. It encodes one unit at a
// time.
type block struct {
	columns []column
	input   []proto.InputColumn
}

func newBlock(t table) *block {
	b := &block{columns: columnsOf(t)}
	for _, c := range b.columns {
		b.input = append(b.input, proto.InputColumn{Name: c.name, Data: c.data})
	}
	return b
}

// names gives the columns' names as an INSERT lists them.
func (b *block) names() string {
	names := make([]string, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// nativeRevision is the protocol revision of the Native format over HTTP: no
// block info, no serialization byte.
const nativeRevision = 0

// encode appends a Native block of the rows to buf.
func (b *block) encode(buf *proto.Buffer, rows []*record.Record) error {
	for _, c := range b.columns {
		c.data.Reset()
		for _, r := range rows {
			c.append(r)
		}
	}
	head := proto.Block{Columns: len(b.columns), Rows: len(rows)}
	if err := head.EncodeRawBlock(buf, nativeRevision, b.input); err != nil {
		return fmt.Errorf("encoding %d rows: %w", len(rows), err)
	}
	return nil
}

// columnsOf gives the columns of a table in the order of its DDL.
func columnsOf(t table) []column {
	cols := []column{
		lowCardColumn("project", func(r *record.Record) string { return r.Project }),
		timeColumn("ts"),
		uint64Column("rid", func(r *record.Record) uint64 { return r.RID }),
	}
	if t != tableEvents {
		cols = append(cols, lowCardColumn("kind", func(r *record.Record) string { return r.SpanKind }))
	}
	cols = append(cols,
		lowCardColumn("service", func(r *record.Record) string { return r.Service }),
		lowCardColumn("env", func(r *record.Record) string { return r.Env }),
		lowCardColumn("release", func(r *record.Record) string { return r.Release }),
		stringColumn("instance", func(r *record.Record) string { return r.Instance }),
		lowCardColumn("name", func(r *record.Record) string { return r.Name }),
	)
	switch t {
	case tableRequests:
		cols = append(cols,
			lowCardColumn("method", func(r *record.Record) string { return r.Method }),
			lowCardColumn("route", func(r *record.Record) string { return r.Route }),
			stringColumn("path", func(r *record.Record) string { return r.Path }),
		)
		cols = append(cols, timedColumns()...)
	case tableSpans:
		cols = append(cols, timedColumns()...)
	case tableEvents:
		cols = append(cols,
			uint8Column("severity", func(r *record.Record) uint8 { return r.Severity }),
			stringColumn("message", func(r *record.Record) string { return r.Message }),
			traceIDColumn("trace_id"),
			spanIDColumn("span_id", func(r *record.Record) [8]byte { return r.SpanID }),
			uint32Column("flags", func(r *record.Record) uint32 { return r.Flags }),
		)
	}
	cols = append(cols,
		lowCardColumn("error_type", func(r *record.Record) string { return r.ErrorType }),
		stringColumn("error_message", func(r *record.Record) string { return r.ErrorMessage }),
		stringColumn("error_stack", func(r *record.Record) string { return r.ErrorStack }),
		uint64Column("error_group", func(r *record.Record) uint64 { return r.ErrorGroup }),
		mapColumn("attributes", func(r *record.Record) record.Pairs { return r.Attributes }),
		mapColumn("resource", func(r *record.Record) record.Pairs { return r.Resource }),
		mapColumn("correlation", func(r *record.Record) record.Pairs { return r.Correlation }),
	)
	if t == tableRequests {
		cols = append(cols,
			mapColumn("request_headers", func(r *record.Record) record.Pairs { return r.RequestHeaders }),
			mapColumn("response_headers", func(r *record.Record) record.Pairs { return r.ResponseHeaders }),
			stringColumn("request_body", func(r *record.Record) string { return r.RequestBody }),
			stringColumn("response_body", func(r *record.Record) string { return r.ResponseBody }),
		)
	}
	cols = append(cols,
		itemsColumn("facet_items", func(r *record.Record) []string { return r.FacetItems }),
		lowCardColumn("scope_name", func(r *record.Record) string { return r.ScopeName }),
		lowCardColumn("scope_version", func(r *record.Record) string { return r.ScopeVersion }),
	)
	if t != tableEvents {
		cols = append(cols, stringColumn("links", func(r *record.Record) string { return r.Links }))
	}
	return append(cols,
		lowCardColumn("marks", func(r *record.Record) string { return r.Marks }),
		uint32Column("weight", func(r *record.Record) uint32 { return r.Weight }),
		uint16Column("ttl_days", func(r *record.Record) uint16 { return r.TTLDays }),
		uint64Column("unit", func(r *record.Record) uint64 { return r.Unit }),
	)
}

// timedColumns are those that requests and spans share, from status to sizes.
func timedColumns() []column {
	return []column{
		uint16Column("status", func(r *record.Record) uint16 { return r.Status }),
		lowCardColumn("span_status", func(r *record.Record) string { return r.SpanStatus }),
		uint64Column("duration", func(r *record.Record) uint64 { return r.Duration }),
		traceIDColumn("trace_id"),
		spanIDColumn("span_id", func(r *record.Record) [8]byte { return r.SpanID }),
		spanIDColumn("parent_span_id", func(r *record.Record) [8]byte { return r.ParentSpanID }),
		stringColumn("trace_state", func(r *record.Record) string { return r.TraceState }),
		uint32Column("flags", func(r *record.Record) uint32 { return r.Flags }),
		stringColumn("request_id", func(r *record.Record) string { return r.RequestID }),
		lowCardColumn("user_agent", func(r *record.Record) string { return r.UserAgent }),
		stringColumn("client_ip", func(r *record.Record) string { return r.ClientIP }),
		uint64Column("request_bytes", func(r *record.Record) uint64 { return r.RequestBytes }),
		uint64Column("response_bytes", func(r *record.Record) uint64 { return r.ResponseBytes }),
	}
}
