package convert

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// testTraces gives traces with one span of the kind and attributes.
func testTraces(kind ptrace.SpanKind, attrs map[string]any) (ptrace.Traces, ptrace.Span) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("trackway.project", "default")
	rs.Resource().Attributes().PutStr("service.name", "api")
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetKind(kind)
	s.SetName("name")
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(now.Add(-time.Second)))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(now.Add(-time.Second + 1500*time.Microsecond)))
	if err := s.Attributes().FromRaw(attrs); err != nil {
		panic(err)
	}
	return td, s
}

func convertTraces(t *testing.T, td ptrace.Traces) Batch {
	t.Helper()
	before, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	src, release := ids.NewGenerator().For("", ids.Traces)
	defer release()
	b := New(Options{TTLDays: 30}).Traces(td, src, now)
	after, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	require.Equal(t, before, after, "the converter changed what it read")
	return b
}

func TestRequestClassification(t *testing.T) {
	for _, tt := range []struct {
		name  string
		kind  ptrace.SpanKind
		attrs map[string]any
		want  string // request kind, or "" for a span
	}{
		{"http, current names", ptrace.SpanKindServer, map[string]any{"http.request.method": "GET"}, "http"},
		{"http, old names", ptrace.SpanKindServer, map[string]any{"http.method": "GET"}, "http"},
		{"grpc server", ptrace.SpanKindServer, map[string]any{"rpc.system": "grpc"}, "rpc"},
		{"server without either", ptrace.SpanKindServer, map[string]any{"net.peer.ip": "::1"}, ""},
		{"http client", ptrace.SpanKindClient, map[string]any{"http.request.method": "GET"}, ""},
		{"consumer", ptrace.SpanKindConsumer, nil, "messaging"},
		{"producer", ptrace.SpanKindProducer, nil, ""},
		{"faas", ptrace.SpanKindServer, map[string]any{"faas.trigger": "pubsub"}, "faas"},
		{"scheduled job", ptrace.SpanKindInternal, map[string]any{"faas.trigger": "timer"}, "job"},
		{"cron", ptrace.SpanKindInternal, map[string]any{"faas.cron": "0 * * * *"}, "job"},
		{"told", ptrace.SpanKindInternal, map[string]any{"trackway.request.kind": "job"}, "job"},
		{"told nonsense", ptrace.SpanKindInternal, map[string]any{"trackway.request.kind": "x"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			td, _ := testTraces(tt.kind, tt.attrs)
			b := convertTraces(t, td)
			require.Len(t, b.Records, 1)
			r := b.Records[0]
			if tt.want == "" {
				assert.Equal(t, record.Span, r.Kind)
				return
			}
			assert.Equal(t, record.Request, r.Kind)
			assert.Equal(t, tt.want, r.SpanKind)
		})
	}
}

func TestHTTPRequestOfBothNamings(t *testing.T) {
	for name, attrs := range map[string]map[string]any{
		"current": {
			"http.request.method": "GET", "http.route": "/projects/:id/tasks", "url.path": "/projects/7/tasks", "url.query": "a=1",
			"http.response.status_code": 500, "user_agent.original": "curl", "client.address": "10.0.0.1",
			"http.request.body.size": 310, "http.response.body.size": 92, "plan": "enterprise",
		},
		"old": {
			"http.method": "GET", "http.route": "/projects/:id/tasks", "http.target": "/projects/7/tasks?a=1",
			"http.status_code": 500, "http.user_agent": "curl", "http.client_ip": "10.0.0.1",
			"http.request_content_length": 310, "http.response_content_length": 92, "plan": "enterprise",
		},
	} {
		t.Run(name, func(t *testing.T) {
			td, _ := testTraces(ptrace.SpanKindServer, attrs)
			r := convertTraces(t, td).Records[0]
			assert.Equal(t, "GET", r.Method)
			assert.Equal(t, "/projects/:id/tasks", r.Route)
			assert.Equal(t, "/projects/7/tasks", r.Path)
			assert.Equal(t, uint16(500), r.Status)
			assert.Equal(t, "curl", r.UserAgent)
			assert.Equal(t, "10.0.0.1", r.ClientIP)
			assert.Equal(t, uint64(310), r.RequestBytes)
			assert.Equal(t, uint64(92), r.ResponseBytes)
			assert.Equal(t, uint64(1_500_000), r.Duration)
			assert.Equal(t, map[string]string{"plan": "enterprise", "url.query": "a=1"}, r.Attributes.Map())
			assert.ElementsMatch(t, []string{"plan=enterprise", "url.query=a=1"}, r.FacetItems)
			assert.Equal(t, uint32(256), r.Weight)
			assert.Equal(t, uint16(30), r.TTLDays)
			assert.NotZero(t, r.RID)
		})
	}
}

func TestSourcesStayAttributes(t *testing.T) {
	td, _ := testTraces(ptrace.SpanKindServer, map[string]any{
		"http.url": "https://shop.test/items/41?x=1", "http.status_code": "teapot", "net.peer.ip": "10.1.1.1", "http.route": "/items/41",
	})
	r := convertTraces(t, td).Records[0]
	assert.Equal(t, "/items/41", r.Path)
	assert.Equal(t, "/items/:id", r.Route)
	assert.Equal(t, "10.1.1.1", r.ClientIP)
	assert.Zero(t, r.Status)
	assert.Equal(t, map[string]string{
		"http.url": "https://shop.test/items/41?x=1", "http.status_code": "teapot", "net.peer.ip": "10.1.1.1", "http.route": "/items/41",
	}, r.Attributes.Map())
}

func TestRequestExtras(t *testing.T) {
	td, _ := testTraces(ptrace.SpanKindServer, map[string]any{
		"http.request.method": "POST", "url.path": "/orders/o_9", "trackway.request.id": "r-81",
		"http.request.header.accept":  []any{"text/html"},
		"http.response.header.x-list": []any{"a", "b"},
		"trackway.request.body":       "in", "trackway.response.body": "out", "trackway.marks": "truncated",
		"correlation.account_id": "acc_108", "correlation.masked": "[redacted]", "n": 1.5, "b": true,
	})
	r := convertTraces(t, td).Records[0]
	assert.Equal(t, "/orders/:id", r.Route)
	assert.Equal(t, "r-81", r.RequestID)
	assert.Equal(t, map[string]string{"account_id": "acc_108", "request_id": "r-81"}, r.Correlation.Map())
	assert.Equal(t, map[string]string{"accept": "text/html"}, r.RequestHeaders.Map())
	assert.Equal(t, map[string]string{"x-list": `["a","b"]`}, r.ResponseHeaders.Map())
	assert.Equal(t, "in", r.RequestBody)
	assert.Equal(t, "out", r.ResponseBody)
	assert.Equal(t, "truncated,route_derived", r.Marks)
	assert.Equal(t, map[string]string{"n": "1.5", "b": "true"}, r.Attributes.Map())
}

func TestExceptionFillsErrorAndMakesEvent(t *testing.T) {
	td, s := testTraces(ptrace.SpanKindServer, map[string]any{"http.request.method": "GET", "correlation.user_id": "u_1"})
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{2})
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage("timed out")
	e := s.Events().AppendEmpty()
	e.SetName("exception")
	e.SetTimestamp(s.EndTimestamp())
	e.Attributes().PutStr("exception.type", "TimeoutError")
	e.Attributes().PutStr("exception.message", "timed out")
	e.Attributes().PutStr("exception.stacktrace", "at x")
	e.Attributes().PutBool("exception.escaped", true)

	b := convertTraces(t, td)
	require.Len(t, b.Records, 2)
	assert.Equal(t, 1, b.Items)
	req, ev := b.Records[0], b.Records[1]
	for _, r := range b.Records {
		assert.Equal(t, "TimeoutError", r.ErrorType)
		assert.Equal(t, "timed out", r.ErrorMessage)
		assert.Equal(t, "at x", r.ErrorStack)
		assert.Equal(t, req.ErrorGroup, r.ErrorGroup)
		assert.Equal(t, map[string]string{"user_id": "u_1"}, r.Correlation.Map())
		assert.Equal(t, [16]byte{1}, r.TraceID)
	}
	assert.Equal(t, "error", req.SpanStatus)
	assert.Empty(t, req.Attributes)
	assert.Equal(t, record.Event, ev.Kind)
	assert.Equal(t, "exception", ev.Name)
	assert.Equal(t, "timed out", ev.Message)
	assert.Equal(t, uint8(17), ev.Severity)
	assert.Equal(t, map[string]string{"exception.escaped": "true"}, ev.Attributes.Map())
	assert.NotEqual(t, req.RID, ev.RID)
}

func TestRPC(t *testing.T) {
	td, _ := testTraces(ptrace.SpanKindServer, map[string]any{
		"rpc.system": "grpc", "rpc.service": "shop.Orders", "rpc.method": "Get", "rpc.grpc.status_code": 5,
	})
	r := convertTraces(t, td).Records[0]
	assert.Equal(t, "shop.Orders/Get", r.Route)
	assert.Equal(t, uint16(404), r.Status)
	v, ok := r.Attributes.Get("rpc.grpc.status_code")
	assert.True(t, ok, "the raw code stays an attribute")
	assert.Equal(t, "5", v)
}

func TestClock(t *testing.T) {
	set := func(at time.Time) Batch {
		td, s := testTraces(ptrace.SpanKindInternal, nil)
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
		s.SetEndTimestamp(0)
		return convertTraces(t, td)
	}
	ahead := set(now.Add(11 * time.Minute)).Records[0]
	assert.Equal(t, now, ahead.Time)
	assert.Equal(t, "clamped", ahead.Marks)

	fine := set(now.Add(9 * time.Minute)).Records[0]
	assert.Equal(t, now.Add(9*time.Minute), fine.Time)
	assert.Empty(t, fine.Marks)

	old := set(now.AddDate(0, 0, -31))
	assert.Empty(t, old.Records)
	assert.Zero(t, old.Items)
	assert.Equal(t, 1, old.Dropped[TooOld])

	td, s := testTraces(ptrace.SpanKindInternal, nil)
	s.SetStartTimestamp(0)
	s.SetEndTimestamp(0)
	absent := convertTraces(t, td).Records[0]
	assert.Equal(t, now, absent.Time)
	assert.Equal(t, "ts_absent", absent.Marks)
}

func TestNoProjectFailsClosed(t *testing.T) {
	for _, project := range []string{"", "Not Valid"} {
		td, _ := testTraces(ptrace.SpanKindInternal, nil)
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("trackway.project", project)
		b := convertTraces(t, td)
		assert.Empty(t, b.Records)
		assert.Equal(t, 1, b.Dropped[NoProject])
	}
}

func TestLogs(t *testing.T) {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	require.NoError(t, rl.Resource().Attributes().FromRaw(map[string]any{
		"trackway.project": "default", "service.name": "billing", "deployment.environment": "prod", "service.version": "v1",
		"host.name": "h1", "correlation.tenant": "t1",
	}))
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("lib")
	sl.Scope().SetVersion("2")
	lr := sl.LogRecords().AppendEmpty()
	lr.SetEventName("order.paid")
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(now.Add(-time.Minute)))
	lr.SetSeverityText("warn")
	lr.Body().SetStr("paid")
	require.NoError(t, lr.Attributes().FromRaw(map[string]any{
		"correlation.order_id": "o_9", "exception.type": "E", "amount": 12, "trackway.request.id": "r1",
	}))
	src, release := ids.NewGenerator().For("", ids.Logs)
	defer release()
	b := New(Options{TTLDays: 30}).Logs(ld, src, now)
	require.Len(t, b.Records, 1)
	r := b.Records[0]
	assert.Equal(t, record.Event, r.Kind)
	assert.Equal(t, "order.paid", r.Name)
	assert.Equal(t, now.Add(-time.Minute), r.Time)
	assert.Equal(t, uint8(13), r.Severity)
	assert.Equal(t, "paid", r.Message)
	assert.Equal(t, "E", r.ErrorType)
	assert.Equal(t, "billing", r.Service)
	assert.Equal(t, "prod", r.Env)
	assert.Equal(t, "v1", r.Release)
	assert.Equal(t, "lib", r.ScopeName)
	assert.Equal(t, map[string]string{"amount": "12"}, r.Attributes.Map())
	assert.Equal(t, map[string]string{"host.name": "h1"}, r.Resource.Map())
	assert.Equal(t, map[string]string{"order_id": "o_9", "request_id": "r1", "tenant": "t1"}, r.Correlation.Map())
}

func TestCapsKeepWhatTheyReplace(t *testing.T) {
	c := New(Options{TTLDays: 30})
	gen := ids.NewGenerator()
	one := func(attrs map[string]any) record.Record {
		td, _ := testTraces(ptrace.SpanKindServer, attrs)
		src, release := gen.For("", ids.Traces)
		defer release()
		return c.Traces(td, src, now).Records[0]
	}
	for i := range maxUserAgents {
		one(map[string]any{"http.request.method": "GET", "user_agent.original": fmt.Sprint("ua", i)})
	}
	r := one(map[string]any{"http.request.method": "GET", "user_agent.original": "one too many"})
	assert.Equal(t, Other, r.UserAgent)
	v, _ := r.Attributes.Get("user_agent.original")
	assert.Equal(t, "one too many", v)
	assert.Equal(t, uint64(1), c.OverCap()[fieldUserAgent])

	for i := range maxFacetValues {
		one(map[string]any{"http.request.method": "GET", "k": i})
	}
	r = one(map[string]any{"http.request.method": "GET", "k": "new"})
	assert.Equal(t, []string{"k=(other)"}, r.FacetItems)
	r = one(map[string]any{"http.request.method": "GET", "long": strings.Repeat("x", 200)})
	assert.Equal(t, []string{"long=(other)"}, r.FacetItems)

	for i := range maxKeys {
		one(map[string]any{"http.request.method": "GET", fmt.Sprint("key", i): "v"})
	}
	r = one(map[string]any{"http.request.method": "GET", "late": "v"})
	assert.Equal(t, map[string]string{Other: "late=v\n"}, r.Attributes.Map())
	assert.Equal(t, []string{Other}, r.FacetItems)

	for i := range maxRoutes {
		one(map[string]any{"http.request.method": "GET", "url.path": fmt.Sprintf("/w%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)})
	}
	r = one(map[string]any{"http.request.method": "GET", "url.path": "/late"})
	assert.Equal(t, Other, r.Route)
	assert.Equal(t, "/late", r.Path)
}

func TestTemplate(t *testing.T) {
	for path, want := range map[string]string{
		"":                                "",
		"/":                               "/",
		"/projects/:id/tasks":             "/projects/:id/tasks",
		"/projects/{id}/tasks":            "/projects/{id}/tasks",
		"/projects/7/tasks?x=1":           "/projects/:id/tasks",
		"/v1/users/":                      "/v1/users/",
		"/oauth2/token":                   "/oauth2/token",
		"/u/8f14e45fceea167a":             "/u/:id",
		"/u/decade":                       "/u/decade",
		"/u/01ARZ3NDEKTSV4RRFFQ69G5FAV/x": "/u/:id/x",
		"/a/acc_108":                      "/a/:id",
		"/o/550e8400-e29b-41d4-a716-446655440000": "/o/:id",
		"/m/jo@example.org":                       "/m/:id",
		"/" + strings.Repeat("x", 49):             "/:id",
		strings.Repeat("/a", 20):                  strings.Repeat("/a", 15) + "/*",
	} {
		assert.Equal(t, want, Template(path), path)
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("/a/7?x")
	f.Add("//:id/{x}")
	f.Fuzz(func(t *testing.T, path string) {
		once := Template(path)
		if Template(once) != once {
			t.Fatalf("not idempotent: %q gives %q, that gives %q", path, once, Template(once))
		}
	})
}

func TestWeight(t *testing.T) {
	for state, want := range map[string]uint32{
		"":                         256,
		"vendor=x":                 256,
		"ot=th:8":                  512,
		"ot=rv:abc;th:c":           1024,
		"vendor=x,ot=th:0":         256,
		"ot=th:zz":                 256,
		"ot=th:fffffffffffffffff0": 256,
		"ot=th:ffffffffffffff":     4294967295,
	} {
		assert.Equal(t, want, (&sampling{}).weight(state), state)
	}
}

func TestWeightOfSamplerAttributes(t *testing.T) {
	for name, test := range map[string]struct {
		attributes map[string]any
		want       uint32
	}{
		"one in a hundred":        {map[string]any{"SampleRate": 100}, 25600},
		"not a rate":              {map[string]any{"SampleRate": "often"}, 256},
		"less than one":           {map[string]any{"SampleRate": 0}, 256},
		"threshold":               {map[string]any{"sampling.threshold": "8"}, 512},
		"a client's probability":  {map[string]any{"sampler.type": "probabilistic", "sampler.param": 0.1}, 2560},
		"a client's rate limiter": {map[string]any{"sampler.type": "ratelimiting", "sampler.param": 0.1}, 256},
	} {
		t.Run(name, func(t *testing.T) {
			td, s := testTraces(ptrace.SpanKindServer, test.attributes)
			s.Events().AppendEmpty().SetName("exception")
			records := convertTraces(t, td).Records
			require.Len(t, records, 2)
			for _, r := range records {
				assert.Equal(t, test.want, r.Weight, r.Kind)
			}
		})
	}
}

func TestErrorGroupHasRouteAndFrames(t *testing.T) {
	group := func(kind ptrace.SpanKind, route, stack string) uint64 {
		td, s := testTraces(kind, map[string]any{"http.request.method": "GET", "http.route": route})
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.SetTimestamp(s.EndTimestamp())
		e.Attributes().PutStr("exception.type", "TypeError")
		e.Attributes().PutStr("exception.stacktrace", stack)
		b := convertTraces(t, td)
		require.Len(t, b.Records, 2)
		require.Equal(t, b.Records[0].ErrorGroup, b.Records[1].ErrorGroup)
		return b.Records[0].ErrorGroup
	}
	const server = ptrace.SpanKindServer
	a := group(server, "/orders/:id", "at pay (/app/orders.js:1:2)")
	assert.Equal(t, a, group(server, "/orders/:id", "at pay (/app/orders.js:7:9)"))
	assert.NotEqual(t, a, group(server, "/orders/:id", "at refund (/app/orders.js:1:2)"))
	assert.NotEqual(t, a, group(server, "/carts/:id", "at pay (/app/orders.js:1:2)"))
	// A span that is no request has no route, whatever its attributes say.
	assert.Equal(t, group(ptrace.SpanKindClient, "/a", "at pay (/app/orders.js:1:2)"), group(ptrace.SpanKindClient, "/b", "at pay (/app/orders.js:1:2)"))
}

func TestConverterIsConcurrent(t *testing.T) {
	c, gen := New(Options{TTLDays: 30}), ids.NewGenerator()
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 200 {
				td, _ := testTraces(ptrace.SpanKindServer, map[string]any{
					"http.request.method": "GET", "url.path": fmt.Sprintf("/w%d/x", i), fmt.Sprint("k", i%50): i,
				})
				src, release := gen.For("", ids.Traces)
				b := c.Traces(td, src, now.AddDate(0, 0, worker%2)) // over the end of a day
				release()
				if len(b.Records) != 1 {
					t.Error("want one record")
				}
			}
		})
	}
	wg.Wait()
}
