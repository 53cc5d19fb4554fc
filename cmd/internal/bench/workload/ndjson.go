package workload

import (
	"strconv"
	"strings"
)

// Placeholders of the fields that Stamp fills.
var (
	zero16 = strings.Repeat("0", 16)
	zero32 = strings.Repeat("0", 32)
	noTime = strings.Repeat("0", len(timeLayout))
)

// line builds one line of NDJSON and notes where its placeholders stand.
type line struct {
	b []byte
	p places
}

func (l *line) field(key, value string) int {
	l.b = append(l.b, `,"`...)
	l.b = append(l.b, key...)
	l.b = append(l.b, `":"`...)
	at := len(l.b)
	l.b = append(append(l.b, value...), '"')
	return at
}

func (l *line) number(key string, text []byte) {
	l.b = append(l.b, `,"`...)
	l.b = append(l.b, key...)
	l.b = append(l.b, `":`...)
	l.b = append(l.b, text...)
}

func ndjsonBody(g *generator, o *Options) *Body {
	b := &Body{Path: "/v1/ingest", ContentType: "application/x-ndjson", options: o}
	l := line{b: make([]byte, 0, 600*o.Batch)}
	for range o.Batch {
		it, begins := g.item()
		l.item(g, &it, begins)
		b.items = append(b.items, l.p)
		b.count(it.kind)
	}
	b.Content = l.b
	return b
}

var typeNames = [...]string{request: "request", span: "span", event: "event"}

func (l *line) item(g *generator, it *item, begins bool) {
	l.p = places{begins: begins, place: it.place, micros: it.micros, parent: -1, end: -1}
	l.b = append(l.b, `{"type":"`...)
	l.b = append(append(l.b, typeNames[it.kind]...), '"')
	l.p.start = l.field("ts", noTime)
	l.field("service", it.route.service)
	l.field("env", "prod")
	switch it.kind {
	case request:
		l.field("method", it.route.method)
		l.field("route", it.route.template)
		l.field("path", it.route.path+strconv.Itoa(g.pathID()))
		l.number("status", strconv.AppendInt(nil, int64(it.status), 10))
	case span:
		l.field("name", it.name)
		l.field("kind", "client")
	case event:
		l.field("name", it.name)
		l.field("severity", "info")
		l.field("message", it.name+" in "+it.route.template)
		l.p.place = 0 // an event names the span it happened in
	}
	if it.kind != event {
		l.number("duration_ms", strconv.AppendFloat(nil, float64(it.micros)/1000, 'f', 3, 64))
		if it.place > 0 {
			l.p.parent = l.field("parent_span_id", zero16)
		}
	}
	l.p.requests = [2]int{-1, -1}
	if it.kind == request {
		l.p.requests[0] = l.field("request_id", zero16)
	}
	l.p.trace = l.field("trace_id", zero32)
	l.p.span = l.field("span_id", zero16)
	l.b = append(l.b, `,"attributes":{"plan":"`...)
	l.b = append(append(l.b, it.plan...), '"')
	l.field("region", it.region)
	l.field("cache", it.cache)
	l.b = append(l.b, `},"correlation":{"account_id":"`...)
	l.b = append(append(l.b, it.account...), '"')
	l.field("user_id", it.user)
	l.p.requests[1] = l.field("request_id", zero16)
	l.b = append(l.b, "}}\n"...)
}

func (b *Body) count(k kind) {
	switch k {
	case request:
		b.Requests++
	case span:
		b.Spans++
	case event:
		b.Events++
	}
}
