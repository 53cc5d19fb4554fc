package convert

import (
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/record"
)

// httpAttributes tell that a SERVER span is an HTTP request, by current and old
// names. Any one of them suffices.
var httpAttributes = [...]string{
	"http.request.method", "http.method", "http.route", "http.response.status_code", "http.status_code",
	"url.path", "http.target", "http.url",
}

// classify gives the kind of request a span is; "" when it is none.
func classify(s ptrace.Span) string {
	attrs := s.Attributes()
	if v, ok := attrs.Get(conventions.RequestKind); ok {
		switch k := v.AsString(); k {
		case conventions.KindHTTP, conventions.KindRPC, conventions.KindMessaging, conventions.KindFaaS, conventions.KindJob:
			return k
		}
	}
	kind := s.Kind()
	if kind == ptrace.SpanKindClient || kind == ptrace.SpanKindProducer {
		return ""
	}
	if v, ok := attrs.Get("faas.trigger"); ok {
		switch v.AsString() {
		case "timer":
			return conventions.KindJob
		case "http":
			return conventions.KindHTTP
		}
		return conventions.KindFaaS
	}
	if _, ok := attrs.Get("faas.cron"); ok {
		return conventions.KindJob
	}
	switch kind {
	case ptrace.SpanKindConsumer:
		return conventions.KindMessaging
	case ptrace.SpanKindServer:
		for _, key := range [...]string{"rpc.system", "rpc.system.name", "rpc.method", "rpc.service"} {
			if _, ok := attrs.Get(key); ok {
				return conventions.KindRPC
			}
		}
		for _, key := range httpAttributes {
			if _, ok := attrs.Get(key); ok {
				return conventions.KindHTTP
			}
		}
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
