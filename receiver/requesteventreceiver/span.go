package requesteventreceiver

import (
	"time"

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
		return d.want("kind", "http, rpc, messaging, faas or job", d.fields[fieldKind])
	}
	if a.status, a.hasStatus, lerr = d.integer(fieldStatus, maxStatus); lerr != nil {
		return lerr
	}

	a.requestKind = word
	if c.name == "" {
		c.name = d.requestName()
	}
	s := d.appendSpan(c, a, kind, duration)
	if c.failure.present || a.hasStatus && a.status >= 500 {
		setError(s, c.failure.message)
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
		return d.text.join(method, " ", route)
	case method != "":
		return method
	case route != "":
		return route
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
		return d.want("kind", "internal, server, client, producer or consumer", d.fields[fieldKind])
	}
	code := ptrace.StatusCodeUnset
	if c.failure.present {
		code = ptrace.StatusCodeError
	}
	if i := d.fields[fieldStatus]; i != 0 {
		switch n := d.at(i); {
		case n.kind.isNumber():
			if a.status, a.hasStatus, lerr = d.integer(fieldStatus, maxStatus); lerr != nil {
				return lerr
			}
			if a.status >= 400 {
				code = ptrace.StatusCodeError
			}
		case n.kind != kindString:
			return d.want("status", "unset, ok or error", i)
		default:
			switch d.textOf(n) {
			case "unset", "":
			case "ok":
				code = ptrace.StatusCodeOk
			case "error":
				code = ptrace.StatusCodeError
			default:
				return d.want("status", "unset, ok or error", i)
			}
		}
	}

	s := d.appendSpan(c, a, kind, duration)
	switch code {
	case ptrace.StatusCodeError:
		setError(s, c.failure.message)
	case ptrace.StatusCodeOk:
		s.Status().SetCode(code)
	}
	return nil
}

func setError(s ptrace.Span, message string) {
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage(message)
}

// appendSpan appends what requests and spans have in common.
func (d *decoder) appendSpan(c common, a attributes, kind ptrace.SpanKind, duration time.Duration) ptrace.Span {
	s := d.batch.span(c.origin)
	start := pcommon.NewTimestampFromTime(c.start)
	end := start + pcommon.Timestamp(duration)
	s.SetName(c.name)
	s.SetKind(kind)
	s.SetTraceID(c.traceID)
	s.SetSpanID(c.spanID)
	s.SetParentSpanID(c.parentSpanID)
	if c.traceState != "" {
		s.TraceState().FromRaw(c.traceState)
	}
	s.SetStartTimestamp(start)
	s.SetEndTimestamp(end)
	c.truncated = c.truncated || a.truncated
	d.put(s.Attributes(), &c, &a, false)
	if c.failure.present {
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.SetTimestamp(end)
		c.failure.exception(e.Attributes().PutStr)
	}
	return s
}
