package requesteventreceiver

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// origin is what an item says about where it comes from; items of one origin
// share a resource.
type origin struct{ service, env, release, instance string }

// batch gathers the items of one body as traces and logs.
type batch struct {
	traces ptrace.Traces
	logs   plog.Logs

	spansOf map[origin]ptrace.SpanSlice
	logsOf  map[origin]plog.LogRecordSlice

	spans, records int
}

func newBatch() *batch {
	return &batch{
		traces:  ptrace.NewTraces(),
		logs:    plog.NewLogs(),
		spansOf: make(map[origin]ptrace.SpanSlice),
		logsOf:  make(map[origin]plog.LogRecordSlice),
	}
}

func (b *batch) items() int { return b.spans + b.records }

// span appends an empty span to the resource of o. o's strings must be those of
// the parser; text copies the ones that are kept.
func (b *batch) span(o origin, text *arena) ptrace.Span {
	b.spans++
	spans, ok := b.spansOf[o]
	if !ok {
		o = o.copy(text)
		rs := b.traces.ResourceSpans().AppendEmpty()
		o.fill(rs.Resource())
		spans = rs.ScopeSpans().AppendEmpty().Spans()
		b.spansOf[o] = spans
	}
	return spans.AppendEmpty()
}

// record appends an empty log record to the resource of o, as span does.
func (b *batch) record(o origin, text *arena) plog.LogRecord {
	b.records++
	records, ok := b.logsOf[o]
	if !ok {
		o = o.copy(text)
		rl := b.logs.ResourceLogs().AppendEmpty()
		o.fill(rl.Resource())
		records = rl.ScopeLogs().AppendEmpty().LogRecords()
		b.logsOf[o] = records
	}
	return records.AppendEmpty()
}

func (o origin) copy(text *arena) origin {
	return origin{text.copy(o.service), text.copy(o.env), text.copy(o.release), text.copy(o.instance)}
}

func (o origin) fill(r pcommon.Resource) {
	attrs := r.Attributes()
	put := func(k, v string) {
		if v != "" {
			attrs.PutStr(k, v)
		}
	}
	put("service.name", o.service)
	put("deployment.environment.name", o.env)
	put("service.version", o.release)
	put("service.instance.id", o.instance)
}
