package convert

import (
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/record"
)

// classify gives the kind of request a span is, by what its attributes' names mean
// together; "" when it is none.
func classify(s ptrace.Span, all trait) string {
	if all&traitRequestKind != 0 {
		v, _ := s.Attributes().Get(conventions.RequestKind)
		switch k := v.AsString(); k {
		case conventions.KindHTTP, conventions.KindRPC, conventions.KindMessaging, conventions.KindFaaS, conventions.KindJob:
			return k
		}
	}
	kind := s.Kind()
	if kind == ptrace.SpanKindClient || kind == ptrace.SpanKindProducer {
		return ""
	}
	if all&traitTrigger != 0 {
		switch v, _ := s.Attributes().Get("faas.trigger"); v.AsString() {
		case "timer":
			return conventions.KindJob
		case "http":
			return conventions.KindHTTP
		}
		return conventions.KindFaaS
	}
	switch {
	case all&traitCron != 0:
		return conventions.KindJob
	case kind == ptrace.SpanKindConsumer:
		return conventions.KindMessaging
	case kind != ptrace.SpanKindServer:
		return ""
	case all&traitRPC != 0:
		return conventions.KindRPC
	case all&traitHTTP != 0:
		return conventions.KindHTTP
	}
	return ""
}

// request fills the columns that only requests have, and gives the mark of a
// route that the sender did not write.
func (b *builder) request(r *record.Record, s ptrace.Span, p *promoted) (mark string) {
	r.Method = b.capped(fieldMethod, r.Method)
	if r.Path == "" && p.fullURL != "" {
		if u, err := url.Parse(p.fullURL); err == nil {
			r.Path = u.Path
		}
	}
	if r.ClientIP == "" {
		r.ClientIP = p.peer
	}
	if r.Status == 0 {
		r.Status = fallbackStatus(r.SpanKind, s, p)
	}
	given := r.Route != ""
	r.Route = b.res.caps.route(r.Service, rawRoute(r, s, p))
	if !given && r.Route != "" && r.SpanKind == conventions.KindHTTP {
		mark = record.MarkRouteDerived
	}
	return mark
}

// rawRoute gives the text whose template is the request's route.
func rawRoute(r *record.Record, s ptrace.Span, p *promoted) string {
	if r.Route != "" {
		return r.Route
	}
	switch r.SpanKind {
	case conventions.KindRPC:
		switch {
		case p.rpcService != "":
			return p.rpcService + "/" + p.rpcMethod
		case p.rpcMethod != "":
			return p.rpcMethod
		case r.Path != "":
			return r.Path
		}
		return s.Name()
	case conventions.KindMessaging:
		if p.destination != "" {
			return p.destination
		}
		return s.Name()
	case conventions.KindFaaS, conventions.KindJob:
		if p.faasName != "" {
			return p.faasName
		}
		return s.Name()
	}
	// "GET /users/:id" is the conventions' name for a span that knows its route.
	// otelhttp around a whole mux sends the template there and nowhere else.
	if i := strings.IndexByte(s.Name(), '/'); i >= 0 && (i == 0 || s.Name()[i-1] == ' ') {
		return s.Name()[i:]
	}
	return r.Path
}

// fallbackStatus gives the status of a request that carries no HTTP code.
func fallbackStatus(kind string, s ptrace.Span, p *promoted) uint16 {
	failed := s.Status().Code() == ptrace.StatusCodeError
	switch {
	case kind == conventions.KindRPC:
		if status, ok := rpcStatus(p.rpcCode); ok {
			return status
		}
		if failed {
			return 500
		}
		return 200
	case kind != conventions.KindHTTP && failed:
		return 500
	}
	return 0
}
