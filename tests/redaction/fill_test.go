package redaction_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sent is the corpus in the forms it is sent in.
type sent struct {
	traces  ptrace.Traces
	logs    plog.Logs
	metrics pmetric.Metrics
	ndjson  strings.Builder
	lines   int

	spans   ptrace.SpanSlice
	records plog.LogRecordSlice
	now     pcommon.Timestamp
}

func newSent(service string) *sent {
	s := &sent{traces: ptrace.NewTraces(), logs: plog.NewLogs(), metrics: pmetric.NewMetrics(), now: pcommon.NewTimestampFromTime(time.Now())}
	rs := s.traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	s.spans = rs.ScopeSpans().AppendEmpty().Spans()
	rl := s.logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", service)
	s.records = rl.ScopeLogs().AppendEmpty().LogRecords()
	return s
}

// span gives an empty span, every other of them a request.
func (s *sent) span(to ptrace.SpanSlice) ptrace.Span {
	span := to.AppendEmpty()
	n := s.traces.SpanCount()
	span.SetTraceID([16]byte{7, 14: byte(n >> 8), 15: byte(n)})
	span.SetSpanID([8]byte{7, 6: byte(n >> 8), 7: byte(n)})
	span.SetName("work")
	span.SetStartTimestamp(s.now)
	span.SetEndTimestamp(s.now + 1000)
	if n%2 == 0 {
		span.SetKind(ptrace.SpanKindServer)
		span.Attributes().PutStr("http.request.method", "GET")
		span.Attributes().PutStr("http.route", "/r")
	}
	return span
}

func (s *sent) record() plog.LogRecord {
	r := s.records.AppendEmpty()
	r.SetTimestamp(s.now)
	return r
}

// sortedKeys makes the corpus depend on nothing but its seed.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// fill puts secrets into every place.
func (c *corpus) fill(s *sent) {
	for _, place := range sortedKeys(namedPlaces) {
		for range 4 {
			namedPlaces[place](s.span(s.spans), c.key(), c.plain("span "+place))
			namedPlaces[place](s.span(s.spans), c.key(), c.odd("span "+place))
		}
	}
	for _, place := range sortedKeys(textPlaces) {
		for _, form := range proseForms {
			textPlaces[place](s.span(s.spans), form(c.key(), c.plain("prose in span "+place)))
		}
		for _, kind := range sortedKeys(shaped) {
			text, needle := shaped[kind](c)
			c.remember("span "+place, kind, needle)
			textPlaces[place](s.span(s.spans), "before "+text+" behind")
		}
	}
	c.fillLogs(s)
	c.fillOrigins(s)
	c.fillMetrics(s.metrics)
	c.fillNDJSON(s)
}

// fillRefused makes spans of a service whose rows the store refuses.
func (c *corpus) fillRefused(s *sent) {
	for _, place := range sortedKeys(namedPlaces) {
		namedPlaces[place](s.span(s.spans), c.key(), c.plain("refused span "+place))
	}
}

func (c *corpus) fillLogs(s *sent) {
	for _, place := range sortedKeys(logBodies) {
		for range 4 {
			logBodies[place](s.record().Body(), c.key(), c.plain(place))
			logBodies[place](s.record().Body(), c.key(), c.odd(place))
		}
	}
	for _, form := range proseForms {
		s.record().Body().SetStr(form(c.key(), c.plain("log body prose")))
		s.record().SetEventName(form(c.key(), c.plain("event name")))
		s.record().Attributes().PutStr("note", form(c.key(), c.plain("log attribute")))
	}
	for _, kind := range sortedKeys(shaped) {
		text, needle := shaped[kind](c)
		c.remember("log body", kind, needle)
		s.record().Body().SetStr("sent " + text + " away")
		text, needle = shaped[kind](c)
		c.remember("log body map", kind, needle)
		s.record().Body().SetEmptyMap().PutEmptySlice("notes").AppendEmpty().SetStr(text)
	}
}

// fillOrigins puts secrets into resources.
func (c *corpus) fillOrigins(s *sent) {
	for range 4 {
		rs := s.traces.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "origin")
		rs.Resource().Attributes().PutStr("deploy."+c.key(), c.odd("resource of spans"))
		text, needle := shaped["url password"](c)
		c.remember("resource of spans", "url password", needle)
		rs.Resource().Attributes().PutStr("db.dsn", text)
		rs.Resource().Attributes().PutStr("process.command_line", "serve --listen :80 --password "+c.plain("command line"))
		s.span(rs.ScopeSpans().AppendEmpty().Spans())
		rl := s.logs.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("deploy."+c.key(), c.odd("resource of logs"))
		r := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		r.SetTimestamp(s.now)
		r.Body().SetStr("started")
	}
}

func (c *corpus) fillMetrics(md pmetric.Metrics) {
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr(c.key(), c.odd("resource of metrics"))
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName("corpus")
	sm.Scope().Attributes().PutStr(c.key(), c.odd("scope of metrics"))
	now := pcommon.NewTimestampFromTime(time.Now())
	metric := func(name string) pmetric.Metric {
		m := sm.Metrics().AppendEmpty()
		m.SetName(name)
		return m
	}
	attributes := func(place string, m pcommon.Map) {
		m.PutStr(c.key(), c.odd(place))
		text, needle := shaped["email"](c)
		c.remember(place, "email", needle)
		m.PutStr("who", text)
	}
	number := func(place string, d pmetric.NumberDataPoint) {
		d.SetTimestamp(now)
		d.SetIntValue(1)
		attributes(place, d.Attributes())
		e := d.Exemplars().AppendEmpty()
		e.SetTimestamp(now)
		e.SetIntValue(1)
		attributes(place+" exemplar", e.FilteredAttributes())
	}
	number("gauge", metric("corpus.gauge").SetEmptyGauge().DataPoints().AppendEmpty())
	sum := metric("corpus.sum").SetEmptySum()
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	number("sum", sum.DataPoints().AppendEmpty())
	h := metric("corpus.histogram").SetEmptyHistogram()
	h.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	hd := h.DataPoints().AppendEmpty()
	hd.SetTimestamp(now)
	attributes("histogram", hd.Attributes())
	x := metric("corpus.exponential").SetEmptyExponentialHistogram()
	x.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	xd := x.DataPoints().AppendEmpty()
	xd.SetTimestamp(now)
	attributes("exponential histogram", xd.Attributes())
	sd := metric("corpus.summary").SetEmptySummary().DataPoints().AppendEmpty()
	sd.SetTimestamp(now)
	attributes("summary", sd.Attributes())
}

// fillNDJSON puts secrets into every field of our own format that takes a text.
func (c *corpus) fillNDJSON(s *sent) {
	line := func(pairs ...any) {
		item := map[string]any{"service": "corpus-ndjson"}
		for i := 0; i < len(pairs); i += 2 {
			item[pairs[i].(string)] = pairs[i+1]
		}
		s.ndjson.WriteString(asJSON(item) + "\n")
		s.lines++
	}
	for range 3 {
		line("type", "request", "path", "/login?user=ann&"+wordOf(c.key())+"="+c.plain("path of NDJSON"), "status", 200)
		line("type", "request", "request_headers", map[string]any{c.key(): c.odd("request_headers"), "Authorization": "Custom " + c.plain("request_headers")})
		line("type", "request", "response_headers", map[string]any{"Set-Cookie": "a=" + c.plain("response_headers")})
		line("type", "request", "request_body", map[string]any{"user": map[string]any{c.key(): c.odd("request_body as JSON")}})
		line("type", "request", "response_body", asJSON(map[string]any{c.key(): c.odd("response_body as text")}))
		line("type", "request", "attributes", map[string]any{c.key(): c.odd("attributes"), "nested": map[string]any{c.key(): c.plain("nested attributes")}})
		line("type", "request", "correlation", map[string]any{c.key(): c.plain("correlation")})
		line("type", "request", c.key()+"_token", c.odd("unknown field"))
		line("type", "request", "error", map[string]any{"type": "E", "message": "bad password=" + c.plain("error.message"), "stack": "E: token: " + c.plain("error.stack") + "\n\tat a.b(C.java:1)"})
		line("type", "span", "name", "GET /p?access_token="+c.plain("name of a span"))
		line("type", "event", "message", "sign in with password: "+c.plain("message"))
		for _, kind := range sortedKeys(shaped) {
			text, needle := shaped[kind](c)
			c.remember("message of NDJSON", kind, needle)
			line("type", "event", "name", "e", "message", "got "+text)
		}
	}
}
