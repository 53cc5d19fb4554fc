package workload

import "strconv"

// otlpBodies makes bodies of traces and, for mixes with events, of logs. OTLP has
// an endpoint for each, so that a mix is kept over several bodies and not within
// one: every total-th part of the items goes to the logs.
func otlpBodies(o *Options) []*Body {
	mix := o.Mix.normal()
	traceMix, logMix := mix, mix
	traceMix.Events = 0
	logMix.Requests, logMix.Spans = 0, 0
	traces, logs := newGenerator(o.Seed, traceMix), newGenerator(o.Seed+1, logMix)
	bodies := make([]*Body, 0, o.Bodies)
	share := 0 // of events that are due, in total-ths of a body
	for range o.Bodies {
		share += mix.Events
		if share < mix.total() && traceMix.total() > 0 {
			bodies = append(bodies, otlpBody(traces, o, "/v1/traces"))
			continue
		}
		share -= mix.total()
		bodies = append(bodies, otlpBody(logs, o, "/v1/logs"))
	}
	return bodies
}

// otlpBody encodes an ExportTraceServiceRequest or ExportLogsServiceRequest
// (opentelemetry-proto 1.x) of one resource and one scope. Field numbers stand
// beside the fields.
func otlpBody(g *generator, o *Options, path string) *Body {
	b := &Body{Path: path, ContentType: "application/x-protobuf", options: o}
	var scope message
	scope.text(1, "trackway.bench") // InstrumentationScope.name
	var scoped message              // ScopeSpans, ScopeLogs
	scoped.message(1, &scope)

	var service string
	for range o.Batch {
		it, begins := g.item()
		if service == "" {
			service = it.route.service // a body comes from one service
		}
		encoded := otlpSpan
		if it.kind == event {
			encoded = otlpLog
		}
		m, p := encoded(g, &it)
		p.begins = begins
		p.shift(scoped.message(2, &m)) // ScopeSpans.spans, ScopeLogs.log_records
		b.items = append(b.items, p)
		b.count(it.kind)
	}

	var resource message
	resource.attribute(1, "service.name", service)
	resource.attribute(1, "deployment.environment.name", "prod")
	var resourceScoped, all message
	resourceScoped.message(1, &resource)
	scopedAt := resourceScoped.message(2, &scoped)
	at := all.message(1, &resourceScoped)
	for i := range b.items {
		b.items[i].shift(at + scopedAt)
	}
	b.Content = all
	return b
}

// Kinds of a span.
const (
	kindServer = 2
	kindClient = 3
)

// otlpSpan encodes a Span.
func otlpSpan(g *generator, it *item) (message, places) {
	p := places{place: it.place, micros: it.micros, parent: -1}
	var m message
	p.trace = m.text(1, zero16)
	p.span = m.text(2, zero16[:8])
	if it.place > 0 {
		p.parent = m.text(4, zero16[:8])
	}
	kind, name := uint64(kindClient), it.name
	if it.kind == request {
		kind, name = kindServer, it.route.method+" "+it.route.template
	}
	m.text(5, name)
	m.varint(6, kind)
	p.start = m.fixed64(7)
	p.end = m.fixed64(8)
	p.requests = [2]int{-1, -1}
	if it.kind == request {
		m.attribute(9, "http.request.method", it.route.method)
		m.attribute(9, "http.route", it.route.template)
		m.attribute(9, "url.path", it.route.path+strconv.Itoa(g.pathID()))
		m.number(9, "http.response.status_code", uint64(it.status))
		p.requests[0] = m.attribute(9, "trackway.request.id", zero16)
		if it.status >= 500 {
			var status message
			status.varint(3, 2) // Status.code = error
			m.message(15, &status)
		}
	}
	p.requests[1] = m.common(9, it)
	return m, p
}

// otlpLog encodes a LogRecord.
func otlpLog(_ *generator, it *item) (message, places) {
	p := places{micros: it.micros, parent: -1, end: -1, requests: [2]int{-1, -1}}
	var m message
	p.start = m.fixed64(1)
	m.varint(2, 9) // severity INFO
	var body message
	body.text(1, it.name+" in "+it.route.template)
	m.message(5, &body)
	p.requests[1] = m.common(6, it)
	p.trace = m.text(9, zero16)
	p.span = m.text(10, zero16[:8])
	m.text(12, it.name) // event_name
	return m, p
}

// common adds the attributes and correlation keys that every item has, and gives
// the place of the request id.
func (m *message) common(field int, it *item) int {
	m.attribute(field, "plan", it.plan)
	m.attribute(field, "region", it.region)
	m.attribute(field, "cache", it.cache)
	m.attribute(field, "correlation.account_id", it.account)
	m.attribute(field, "correlation.user_id", it.user)
	return m.attribute(field, "correlation.request_id", zero16)
}

// shift moves all places by so many bytes.
func (p *places) shift(by int) {
	for _, at := range []*int{&p.start, &p.end, &p.trace, &p.span, &p.parent, &p.requests[0], &p.requests[1]} {
		if *at >= 0 {
			*at += by
		}
	}
}
