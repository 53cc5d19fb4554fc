package convert

import (
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

// AppendLogs makes an event of each log record and appends it to sink. now is when
// they arrived.
func (c *Converter) AppendLogs(ld plog.Logs, src ids.Source, now time.Time, sink Sink) Summary {
	b := c.builder(src, now, sink)
	for _, rl := range ld.ResourceLogs().All() {
		if !b.resource(rl.Resource().Attributes()) {
			for _, sl := range rl.ScopeLogs().All() {
				b.drop(NoProject, sl.LogRecords().Len())
			}
			continue
		}
		for _, sl := range rl.ScopeLogs().All() {
			b.scope(sl.Scope())
			for _, lr := range sl.LogRecords().All() {
				b.log(lr)
			}
		}
	}
	return b.release()
}

func (b *builder) log(lr plog.LogRecord) {
	at := lr.Timestamp()
	if at == 0 {
		// What a log bridge observed is when it happened, as the data model says.
		at = lr.ObservedTimestamp()
	}
	ts, mark, ok := b.clock.at(at)
	if !ok {
		b.drop(TooOld, 1)
		return
	}
	item := b.begin()
	r := b.record(record.Event)
	r.Time, r.RID = ts, item.RID(record.Event, 0)
	r.TraceID, r.SpanID, r.Flags = lr.TraceID(), lr.SpanID(), uint32(lr.Flags())
	r.Message = lr.Body().AsString()

	attrs := lr.Attributes()
	var p promoted
	pairs, strs := len(b.pairs), len(b.strs)
	all := b.read(attrs)
	b.attributes(r, attrs, all, &p)
	r.Weight = p.sampling.weight("")
	b.pairs = append(b.pairs, b.res.scope...)
	b.severity(r, lr)
	b.groupError(r, "")
	r.Name = b.orPair(fieldName, "event.name", lr.EventName())
	if n := lr.DroppedAttributesCount() + uint32(b.left[partAttributes]); n != 0 {
		b.pair("otel.dropped_attributes_count", strconv.FormatUint(uint64(n), 10))
	}
	b.keepUnrestorable(r, &p, pairs)
	b.spillPairs()
	r.Attributes, r.FacetItems = b.pairsFrom(pairs), b.strsFrom(strs)
	r.Correlation = b.correlation(attrs, all, nil, p.requestID)
	r.Marks = b.marks(p.marks, mark)
	b.sink.Append(r)
}

// severityNumbers are the first numbers of the data model's ranges by the words
// senders use for them.
var severityNumbers = map[string]plog.SeverityNumber{
	"TRACE": plog.SeverityNumberTrace, "DEBUG": plog.SeverityNumberDebug,
	"INFO": plog.SeverityNumberInfo, "INFORMATION": plog.SeverityNumberInfo, "NOTICE": plog.SeverityNumberInfo2,
	"WARN": plog.SeverityNumberWarn, "WARNING": plog.SeverityNumberWarn,
	"ERROR": plog.SeverityNumberError, "ERR": plog.SeverityNumberError, "CRITICAL": plog.SeverityNumberError3,
	"FATAL": plog.SeverityNumberFatal,
}

// severity sets the number, from the text where there is only that, and keeps a
// text that says more than the number does.
func (b *builder) severity(r *record.Record, lr plog.LogRecord) {
	n, text := lr.SeverityNumber(), lr.SeverityText()
	byText := severityNumbers[strings.ToUpper(text)]
	if n == plog.SeverityNumberUnspecified {
		n = byText
	}
	if n > 0 && n <= plog.SeverityNumberFatal4 {
		r.Severity = uint8(n)
	}
	if text != "" && byText != n && !strings.EqualFold(text, n.String()) {
		b.attribute(b.pair("severity_text", text), text)
	}
}

// parent is what an event takes from the record of its span.
type parent struct {
	time        time.Time
	route       string
	weight      uint32
	correlation record.Pairs
}

// spanEvent makes an event of a span's event. It carries the span's correlation
// keys, so that it stands in the same journeys, and its error is grouped under the
// same route.
func (b *builder) spanEvent(s ptrace.Span, e ptrace.SpanEvent, item record.ItemID, ordinal int, of parent) {
	ts, mark, ok := of.time, "", true
	if e.Timestamp() != 0 {
		ts, mark, ok = b.clock.at(e.Timestamp())
	}
	if !ok {
		return // the span itself is recent, and the item is counted by it
	}
	b.left = [partCount]int{}
	r := b.record(record.Event)
	r.Time, r.RID = ts, item.RID(record.Event, ordinal)
	r.TraceID, r.SpanID, r.Flags = s.TraceID(), s.SpanID(), s.Flags()

	attrs := e.Attributes()
	var p promoted
	pairs, strs := len(b.pairs), len(b.strs)
	all := b.read(attrs)
	b.attributes(r, attrs, all, &p)
	r.Weight = of.weight
	b.groupError(r, of.route)
	r.Name = b.orPair(fieldName, "event.name", e.Name())
	if n := e.DroppedAttributesCount() + uint32(b.left[partAttributes]); n != 0 {
		b.pair("otel.dropped_attributes_count", strconv.FormatUint(uint64(n), 10))
	}
	b.keepUnrestorable(r, &p, pairs)
	b.spillPairs()
	r.Attributes, r.FacetItems = b.pairsFrom(pairs), b.strsFrom(strs)
	r.Correlation = b.correlation(attrs, all, of.correlation, p.requestID)
	r.Marks = b.marks(p.marks, mark)
	if e.Name() == "exception" {
		r.Severity = uint8(plog.SeverityNumberError)
		r.Message = r.ErrorMessage
	}
	b.sink.Append(r)
}
