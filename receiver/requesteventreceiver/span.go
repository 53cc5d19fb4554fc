package requesteventreceiver

import (
	"time"

	"github.com/valyala/fastjson"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// maxStatus is the largest status code taken: three digits, since proxies use
// codes beyond 599 and 0 for clients that went away.
const maxStatus = 999

// spanKinds by the words for them.
var spanKinds = map[string]ptrace.SpanKind{
	"":         ptrace.SpanKindInternal,
	"internal": ptrace.SpanKindInternal,
	"server":   ptrace.SpanKindServer,
	"client":   ptrace.SpanKindClient,
	"producer": ptrace.SpanKindProducer,
	"consumer": ptrace.SpanKindConsumer,
}

// requestKinds gives the span kind that carries each kind of request.
var requestKinds = map[string]ptrace.SpanKind{
	conventions.KindHTTP:      ptrace.SpanKindServer,
	conventions.KindRPC:       ptrace.SpanKindServer,
	conventions.KindMessaging: ptrace.SpanKindConsumer,
	conventions.KindFaaS:      ptrace.SpanKindServer,
	conventions.KindJob:       ptrace.SpanKindInternal,
}

// request appends a request: a span that carries the mark of a request, so that
// it stays one without method and status too.
func (d *decoder) request(c common, a attributes) *lineError {
	duration, lerr := d.duration()
	if lerr != nil {
		return lerr
	}
	word, lerr := d.str(fieldKind)
	if lerr != nil {
		return lerr
	}
	if word == "" {
		word = conventions.KindHTTP
	}
	kind, ok := requestKinds[word]
	if !ok {
		return want("kind", "http, rpc, messaging, faas or job", d.fields[fieldKind])
	}
	if a.status, a.hasStatus, lerr = d.integer(fieldStatus, maxStatus); lerr != nil {
		return lerr
	}

	s := d.batch.span(c.origin, &d.text)
	d.fillSpan(s, c, a, kind, duration)
	s.Attributes().PutStr(conventions.RequestKind, d.text.copy(word))
	if c.name == "" {
		s.SetName(d.requestName())
	}
	if c.failure.present || a.hasStatus && a.status >= 500 {
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(d.text.copy(c.failure.message))
	}
	return nil
}

// requestName is the span name of the semantic conventions: method and route, or
// what there is of them.
func (d *decoder) requestName() string {
	method, _ := d.str(fieldMethod)
	route, _ := d.str(fieldRoute)
	switch {
	case method != "" && route != "":
		d.scratch = append(append(append(d.scratch[:0], method...), ' '), route...)
		return d.text.copy(view(d.scratch))
	case method != "":
		return d.text.copy(method)
	case route != "":
		return d.text.copy(route)
	}
	return "request"
}

// span appends a span. Its status is unset, ok or error; a number there is the
// status code of an HTTP call.
func (d *decoder) span(c common, a attributes) *lineError {
	duration, lerr := d.duration()
	if lerr != nil {
		return lerr
	}
	if c.name == "" {
		return rejectLine(reasonInvalidField, "name: want the name of the span, got nothing")
	}
	word, lerr := d.str(fieldKind)
	if lerr != nil {
		return lerr
	}
	kind, ok := spanKinds[word]
	if !ok {
		return want("kind", "internal, server, client, producer or consumer", d.fields[fieldKind])
	}
	code := ptrace.StatusCodeUnset
	if c.failure.present {
		code = ptrace.StatusCodeError
	}
	if v := d.fields[fieldStatus]; v != nil && v.Type() == fastjson.TypeNumber {
		if a.status, a.hasStatus, lerr = d.integer(fieldStatus, maxStatus); lerr != nil {
			return lerr
		}
		if a.status >= 400 {
			code = ptrace.StatusCodeError
		}
	} else if v != nil {
		switch string(v.GetStringBytes()) {
		case "unset", "":
			if v.Type() != fastjson.TypeString {
				return want("status", "unset, ok or error", v)
			}
		case "ok":
			code = ptrace.StatusCodeOk
		case "error":
			code = ptrace.StatusCodeError
		default:
			return want("status", "unset, ok or error", v)
		}
	}

	s := d.batch.span(c.origin, &d.text)
	d.fillSpan(s, c, a, kind, duration)
	s.Status().SetCode(code)
	if code == ptrace.StatusCodeError {
		s.Status().SetMessage(d.text.copy(c.failure.message))
	}
	return nil
}

func (d *decoder) fillSpan(s ptrace.Span, c common, a attributes, kind ptrace.SpanKind, duration time.Duration) {
	end := pcommon.NewTimestampFromTime(c.start.Add(duration))
	s.SetName(d.text.copy(c.name))
	s.SetKind(kind)
	s.SetTraceID(c.traceID)
	s.SetSpanID(c.spanID)
	s.SetParentSpanID(c.parentSpanID)
	s.TraceState().FromRaw(d.text.copy(c.traceState))
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(c.start))
	s.SetEndTimestamp(end)
	d.put(s.Attributes(), &a)
	c.truncated = c.truncated || a.truncated
	c.mark(s.Attributes())
	if c.failure.present {
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.SetTimestamp(end)
		c.failure.exception(e.Attributes(), &d.text)
	}
}
