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

	// lastSpan spares looking up what nearly every line repeats.
	lastSpan struct {
		origin origin
		spans  ptrace.SpanSlice
	}

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

// span appends an empty span to the resource of o.
func (b *batch) span(o origin) ptrace.Span {
	b.spans++
	if o == b.lastSpan.origin && b.spans > 1 {
		return b.lastSpan.spans.AppendEmpty()
	}
	spans, ok := b.spansOf[o]
	if !ok {
		rs := b.traces.ResourceSpans().AppendEmpty()
		o.fill(rs.Resource())
		spans = rs.ScopeSpans().AppendEmpty().Spans()
		b.spansOf[o] = spans
	}
	b.lastSpan.origin, b.lastSpan.spans = o, spans
	return spans.AppendEmpty()
}

// record appends an empty log record to the resource of o, as span does.
func (b *batch) record(o origin) plog.LogRecord {
	b.records++
	records, ok := b.logsOf[o]
	if !ok {
		rl := b.logs.ResourceLogs().AppendEmpty()
		o.fill(rl.Resource())
		records = rl.ScopeLogs().AppendEmpty().LogRecords()
		b.logsOf[o] = records
	}
	return records.AppendEmpty()
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
