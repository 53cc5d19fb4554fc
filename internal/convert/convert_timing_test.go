package convert

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/ids"
)

// requestSpans are requests with what the receiver of NDJSON writes: three attributes
// and three correlation keys each.
func requestSpans(n int) ptrace.Traces {
	td, _ := testTraces(ptrace.SpanKindServer, nil)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	spans.RemoveIf(func(ptrace.Span) bool { return true })
	for i := range n {
		_, s := testTraces(ptrace.SpanKindServer, map[string]any{
			"http.request.method": "GET", "http.route": "/projects/:id/tasks", "url.path": fmt.Sprint("/projects/", i, "/tasks"),
			"http.response.status_code": 200, "user_agent.original": "Mozilla/5.0", "client.address": "10.0.0.1",
			"http.request.body.size": 310, "http.response.body.size": 92, "trackway.request.id": fmt.Sprint("r-", i),
			"plan": "enterprise", "region": "eu", "cache": []string{"hit", "miss"}[i%2],
			"correlation.account_id": "acc_108", "correlation.user_id": fmt.Sprint("u_", i%97),
		})
		s.SetName("GET /projects/:id/tasks")
		s.SetTraceID([16]byte{1, byte(i), byte(i >> 8)})
		s.SetSpanID([8]byte{1, byte(i), byte(i >> 8)})
		s.MoveTo(spans.AppendEmpty())
	}
	return td
}

// BenchmarkAppendTraces is pdata to columns.
func BenchmarkAppendTraces(b *testing.B) {
	const n = 500
	td := requestSpans(n)
	c, gen := New(Options{TTLDays: 30}), ids.NewGenerator()
	var batch columns.Batch
	measure(b, n, func() {
		batch.Reset()
		src, release := gen.For("", ids.Traces)
		if got := c.AppendTraces(td, src, now, &batch); got.Items != n {
			b.Fatal(got.Items)
		}
		release()
	})
}

// BenchmarkAppendLogs is the same for log records of three attributes.
func BenchmarkAppendLogs(b *testing.B) {
	const n = 500
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("trackway.project", "default")
	rl.Resource().Attributes().PutStr("service.name", "api")
	records := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i := range n {
		lr := records.AppendEmpty()
		lr.SetSeverityNumber(plog.SeverityNumberInfo)
		lr.Body().SetStr("order paid")
		lr.SetEventName("order.paid")
		lr.Attributes().PutStr("plan", "enterprise")
		lr.Attributes().PutStr("region", "eu")
		lr.Attributes().PutInt("retries", int64(i%3))
		lr.Attributes().PutStr("correlation.order_id", fmt.Sprint("o_", i))
	}
	c, gen := New(Options{TTLDays: 30}), ids.NewGenerator()
	var batch columns.Batch
	measure(b, n, func() {
		batch.Reset()
		src, release := gen.For("", ids.Logs)
		if got := c.AppendLogs(ld, src, now, &batch); got.Items != n {
			b.Fatal(got.Items)
		}
		release()
	})
}

// measure runs f, which handles n rows, and reports the processor's time by row: on a
// busy machine the clock says nothing.
func measure(b *testing.B, n int, f func()) {
	b.ReportAllocs()
	f()
	before := processorTime(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/float64(b.N)/float64(n), "cpu-ns/row")
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
