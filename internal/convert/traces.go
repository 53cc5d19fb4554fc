package convert

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/fingerprint"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

// AppendTraces makes records of spans and appends them to sink: one request or span
// each, and an event for each span event. now is when they arrived.
func (c *Converter) AppendTraces(td ptrace.Traces, src ids.Source, now time.Time, sink Sink) Summary {
	b := c.builder(src, now, sink)
	for _, rs := range td.ResourceSpans().All() {
		if !b.resource(rs.Resource().Attributes()) {
			for _, ss := range rs.ScopeSpans().All() {
				b.drop(NoProject, ss.Spans().Len())
			}
			continue
		}
		for _, ss := range rs.ScopeSpans().All() {
			b.scope(ss.Scope())
			for _, span := range ss.Spans().All() {
				b.span(span)
			}
		}
	}
	return b.release()
}

func (b *builder) span(s ptrace.Span) {
	start, end := s.StartTimestamp(), s.EndTimestamp()
	if start == 0 {
		start = end
	}
	ts, mark, ok := b.clock.at(start)
	if !ok {
		b.drop(TooOld, 1)
		return
	}
	item := b.begin()
	attrs := s.Attributes()
	all := b.read(attrs)
	requestKind := classify(s, all)
	kind := record.Span
	if requestKind != "" {
		kind = record.Request
	}
	r := b.record(kind)
	r.Time, r.RID = ts, item.RID(kind, 0)
	if end > start {
		r.Duration = uint64(end - start)
	}
	r.TraceID, r.SpanID, r.ParentSpanID = s.TraceID(), s.SpanID(), s.ParentSpanID()
	r.TraceState = s.TraceState().AsRaw()
	r.Flags = s.Flags()
	r.SpanStatus = spanStatus(s.Status().Code())
	r.Links = b.links(s.Links())
	events := b.over(partEvents, s.Events().Len(), b.conv.opts.Limits.MaxEvents)

	var p promoted
	pairs, strs := len(b.pairs), len(b.strs)
	b.attributes(r, attrs, all, &p)
	r.Weight = p.sampling.weight(r.TraceState)
	b.pairs = append(b.pairs, b.res.scope...)
	b.spanError(r, s, &p)
	var routeMark string
	if kind == record.Request {
		r.SpanKind = requestKind
		routeMark = b.request(r, s, &p)
	} else {
		r.SpanKind = spanKind(s.Kind())
	}
	b.groupError(r, r.Route)
	r.Name = b.orPair(fieldName, attrSpanName, s.Name())
	r.UserAgent = b.capped(fieldUserAgent, r.UserAgent)
	r.RequestID = p.requestID
	r.Marks = b.marks(p.marks, mark, routeMark)
	b.keepUnrestorable(r, &p, pairs)
	for _, d := range [...]struct {
		key string
		n   uint32
	}{
		{"otel.dropped_attributes_count", s.DroppedAttributesCount() + uint32(b.left[partAttributes])},
		{"otel.dropped_events_count", s.DroppedEventsCount() + uint32(b.left[partEvents])},
		{"otel.dropped_links_count", s.DroppedLinksCount() + uint32(b.left[partLinks])},
	} {
		if d.n != 0 {
			b.pair(d.key, strconv.FormatUint(uint64(d.n), 10))
		}
	}
	b.spillPairs()
	r.Attributes, r.FacetItems = b.pairsFrom(pairs), b.strsFrom(strs)
	r.Correlation = b.correlation(attrs, all, nil, p.requestID)
	if kind == record.Request {
		r.RequestHeaders = b.headers(attrs, all, traitRequestHeader)
		r.ResponseHeaders = b.headers(attrs, all, traitResponseHeader)
		r.RequestBody, r.ResponseBody = p.requestBody, p.responseBody
	}
	b.sink.Append(r)

	of := parent{ts, r.Route, r.Weight, r.Correlation} // r is used again for the events
	for i, e := range s.Events().All() {
		if i == events {
			break
		}
		b.spanEvent(s, e, item, i+1, of)
	}
}

// spanError fills the error of a request or span: from its last exception, else
// from error.type and the status message of a failed span.
func (b *builder) spanError(r *record.Record, s ptrace.Span, p *promoted) {
	for i := s.Events().Len() - 1; i >= 0; i-- {
		e := s.Events().At(i)
		if e.Name() != "exception" {
			continue
		}
		var typ string
		for k, v := range e.Attributes().All() {
			switch k {
			case "exception.type":
				typ = v.AsString()
			case "exception.message":
				p.errMessage = v.AsString()
			case "exception.stacktrace":
				p.errStack = v.AsString()
			}
		}
		if typ != "" {
			p.errType = typ
		}
		break
	}
	if m := s.Status().Message(); m != "" && m != p.errMessage {
		if p.errMessage == "" && s.Status().Code() == ptrace.StatusCodeError {
			p.errMessage = m
		} else {
			b.pair(attrStatusMessage, m)
		}
	}
	r.ErrorType, r.ErrorMessage, r.ErrorStack = p.errType, p.errMessage, p.errStack
}

// groupError finds the group of the record's error, which happened in a request of
// the route, and caps its type.
func (b *builder) groupError(r *record.Record, route string) {
	r.ErrorGroup = fingerprint.Group(&fingerprint.Error{
		Service: r.Service, Route: route, Type: r.ErrorType, Message: r.ErrorMessage, Stack: r.ErrorStack,
	})
	r.ErrorType = b.capped(fieldErrorType, r.ErrorType)
}

// marks joins the marks made on the way here with ours, and with those for what
// was left out of the record.
func (b *builder) marks(had string, ours ...string) string {
	for p, n := range b.left {
		if n > 0 || part(p) == partAttributes && b.res.leftOut {
			ours = append(ours, partMarks[p])
		}
	}
	for _, m := range ours {
		switch {
		case m == "" || had == m:
		case had == "":
			had = m
		default:
			had += "," + m
		}
	}
	return b.capped(fieldMarks, had)
}

func spanStatus(c ptrace.StatusCode) string {
	switch c {
	case ptrace.StatusCodeOk:
		return "ok"
	case ptrace.StatusCodeError:
		return "error"
	}
	return "unset"
}

func spanKind(k ptrace.SpanKind) string {
	switch k {
	case ptrace.SpanKindServer:
		return "server"
	case ptrace.SpanKindClient:
		return "client"
	case ptrace.SpanKindProducer:
		return "producer"
	case ptrace.SpanKindConsumer:
		return "consumer"
	}
	return "internal"
}

// link is the stored form of a span link.
type link struct {
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	TraceState string            `json:"trace_state,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// links gives the links as a JSON array, "" when there are none.
func (b *builder) links(s ptrace.SpanLinkSlice) string {
	keep := b.over(partLinks, s.Len(), b.conv.opts.Limits.MaxLinks)
	if keep == 0 {
		return ""
	}
	out := make([]link, 0, keep)
	for i, l := range s.All() {
		if i == keep {
			break
		}
		trace, span := l.TraceID(), l.SpanID()
		item := link{
			TraceID:    hex.EncodeToString(trace[:]),
			SpanID:     hex.EncodeToString(span[:]),
			TraceState: l.TraceState().AsRaw(),
		}
		if l.Attributes().Len() > 0 {
			item.Attributes = map[string]string{}
			b.attributesOf(l.Attributes(), func(k string, v pcommon.Value) { item.Attributes[k] = v.AsString() })
		}
		out = append(out, item)
	}
	text, err := json.Marshal(out)
	if err != nil { // strings only: cannot fail
		return ""
	}
	return string(text)
}
