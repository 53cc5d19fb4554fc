package requestredactionprocessor

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// cleanRequest is what an instrumented service says about a request: 20
// attributes, none of them secret.
func cleanRequest(s ptrace.Span) {
	s.SetName("GET /projects/:id/tasks")
	m := s.Attributes()
	for k, v := range map[string]string{
		"http.request.method": "GET", "url.scheme": "https", "url.path": "/projects/7/tasks", "http.route": "/projects/:id/tasks",
		"url.full": "https://shop.example/projects/7/tasks?page=2&sort=created_at", "url.query": "page=2&sort=created_at",
		"server.address": "api-7d9f6b5c4-x2x9k.shop.svc", "client.address": "127.0.0.1", "network.protocol.version": "1.1",
		"user_agent.original":              "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
		"http.request.header.accept":       "application/json, text/plain, */*",
		"http.request.header.x-request-id": "0b9f1c52-6c1e-4c7c-9d4b-2f0d7f3f9a11", "trackway.request.id": "0b9f1c52-6c1e-4c7c-9d4b-2f0d7f3f9a11",
		"user.id": "u_1137", "app.order_id": "order-2026-118732", "app.plan": "enterprise", "app.region": "eu-central-1",
	} {
		m.PutStr(k, v)
	}
	m.PutInt("http.response.status_code", 200)
	m.PutInt("server.port", 443)
	m.PutInt("http.response.body.size", 18231)
}

// cpuTime gives the processor time of the process in nanoseconds: on a machine
// with other work the time of the clock says little.
func cpuTime(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// benchmarkSpan redacts spans that differ as requests of a service do: in their ids,
// paths and users, and in little else.
func benchmarkSpan(b *testing.B, fill func(ptrace.Span)) {
	r := newTestRedaction(b, createDefaultConfig().(*Config))
	const requests = 64
	templates := ptrace.NewSpanSlice()
	for i := range requests {
		s := templates.AppendEmpty()
		fill(s)
		for k, v := range s.Attributes().All() {
			switch k {
			case "http.request.header.x-request-id", "trackway.request.id":
				v.SetStr(fmt.Sprintf("%08x-6c1e-4c7c-9d4b-%012x", 0x0b9f1c52+i, 0x2f0d7f3f9a11*i))
			case "url.path":
				v.SetStr(fmt.Sprintf("/projects/%d/tasks", i))
			case "url.full":
				v.SetStr(fmt.Sprintf("https://shop.example/projects/%d/tasks?page=2&sort=created_at", i))
			case "user.id":
				v.SetStr(fmt.Sprintf("u_%d", 1100+i))
			case "app.order_id":
				v.SetStr(fmt.Sprintf("order-2026-%06d", 118000+i))
			}
		}
	}
	spans := ptrace.NewSpanSlice()
	templates.CopyTo(spans)
	p := r.begin()
	defer r.end(context.Background(), p)
	b.ReportAllocs()
	before := cpuTime(b)
	defer func() { b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op") }()
	for i := 0; b.Loop(); i++ {
		span := spans.At(i % requests)
		p.span(span)
		if _, marked := span.Attributes().Get("trackway.marks"); marked {
			b.StopTimer()
			templates.At(i % requests).CopyTo(span)
			b.StartTimer()
		}
	}
}

// What an event costs that has nothing to redact.
func BenchmarkClean(b *testing.B) { benchmarkSpan(b, cleanRequest) }

// What one costs that has three values to redact.
func BenchmarkHits(b *testing.B) {
	benchmarkSpan(b, func(s ptrace.Span) {
		cleanRequest(s)
		s.Attributes().PutStr("http.request.header.authorization", "Bearer "+strings.Repeat("a1B2", 8))
		s.Attributes().PutStr("user.email", "ann@example.com")
		s.Attributes().PutStr("url.query", "page=2&access_token=abcdef")
	})
}

// What a captured body of 2 KB, a stack of 2 KB and a statement add.
func BenchmarkTexts(b *testing.B) {
	for name, fill := range map[string]func(pcommon.Map){
		"body":  func(m pcommon.Map) { m.PutStr("trackway.request.body", cleanBody) },
		"stack": func(m pcommon.Map) { m.PutStr("exception.stacktrace", cleanStack) },
		"sql":   func(m pcommon.Map) { m.PutStr("db.query.text", cleanSQL) },
	} {
		b.Run(name, func(b *testing.B) { benchmarkSpan(b, func(s ptrace.Span) { fill(s.Attributes()) }) })
	}
}

var (
	cleanBody  = `{"items":[` + strings.Repeat(`{"sku":"AB-1234","title":"Blue chair, large","quantity":2,"price":"149.90","currency":"EUR"},`, 20) + `{}]}`
	cleanStack = "java.lang.IllegalStateException: order is closed\n" + strings.Repeat("\tat com.shop.orders.OrderService.close(OrderService.java:118)\n", 32)
	cleanSQL   = "SELECT t.id, t.title, t.created_at FROM tasks AS t JOIN projects p ON p.id = t.project_id WHERE p.id = $1 AND t.state IN ('open', 'waiting') AND t.created_at > '2026-11-30 12:00:00' ORDER BY t.created_at DESC LIMIT 50"
)
