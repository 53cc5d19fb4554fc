package clickhouserollupexporter

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/schema"
)

func configFor(server *enginetest.Server) *Config {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = server.URL
	cfg.Username = server.User
	cfg.Password = configopaque.String(server.Password)
	return cfg
}

func startExporter(t *testing.T, cfg *Config) *shared {
	t.Helper()
	e, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(context.Background(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.Background())) })
	return e.(*shared)
}

// query gives the answer's lines, split at tabs.
func query(t *testing.T, server *enginetest.Server, sql string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(server.Query(t, sql)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

func resource(m pcommon.Map) {
	m.PutStr("trackway.project", "default")
	m.PutStr("service.name", "api")
	m.PutStr("service.version", "v1")
	m.PutStr("deployment.environment.name", "prod")
	m.PutStr("service.instance.id", "i-1")
	m.PutStr("host.name", "h1")
}

// requestTraces gives n request spans that end now, each with an exception.
func requestTraces(n int, at time.Time) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	resource(rs.Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("lib")
	for i := range n {
		s := ss.Spans().AppendEmpty()
		s.SetKind(ptrace.SpanKindServer)
		s.SetName("GET /projects/:id/tasks")
		s.SetTraceID(pcommon.TraceID{1, 2, 3, 4, byte(i)})
		s.SetSpanID(pcommon.SpanID{5, byte(i)})
		s.SetParentSpanID(pcommon.SpanID{6})
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(812_400 * time.Microsecond)))
		s.Status().SetCode(ptrace.StatusCodeError)
		a := s.Attributes()
		a.PutStr("http.request.method", "GET")
		a.PutStr("http.route", "/projects/:id/tasks")
		a.PutStr("url.path", fmt.Sprintf("/projects/%d/tasks", i))
		a.PutInt("http.response.status_code", 500)
		a.PutStr("plan", "enterprise")
		a.PutStr("correlation.account_id", "acc_108")
		a.PutStr("trackway.request.id", fmt.Sprint("r-", i))
		a.PutEmptySlice("http.request.header.accept").AppendEmpty().SetStr("*/*")
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.SetTimestamp(s.EndTimestamp())
		e.Attributes().PutStr("exception.type", "TimeoutError")
		e.Attributes().PutStr("exception.message", "it\ttook\nlong 'quoted' \\")
	}
	return td
}

func orderLog(at time.Time) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	resource(rl.Resource().Attributes())
	lr := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	lr.SetEventName("order.paid")
	lr.SetTimestamp(pcommon.NewTimestampFromTime(at))
	lr.SetSeverityNumber(plog.SeverityNumberInfo)
	lr.Body().SetStr("paid")
	lr.Attributes().PutStr("correlation.order_id", "o_9")
	lr.SetTraceID(pcommon.TraceID{1, 2, 3, 4})
	return ld
}

func TestStoresWhatItAcknowledged(t *testing.T) {
	server := enginetest.Start(t)
	e := startExporter(t, configFor(server))
	at := time.Now().Add(-time.Minute).UTC()

	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(3, at)))
	require.NoError(t, e.ConsumeLogs(context.Background(), orderLog(at)))

	assert.Equal(t, [][]string{{
		"default", at.Format("2006-01-02 15:04:05.000000000"), "http", "api", "prod", "v1", "i-1", "GET", "/projects/:id/tasks",
		"/projects/1/tasks", "500", "error", "812400000", "812.4", "01020304010000000000000000000000", "0501000000000000", "0600000000000000",
		"r-1", "TimeoutError", `it\ttook\nlong \'quoted\' \\`, "{'plan':'enterprise'}", "{'host.name':'h1'}",
		"{'account_id':'acc_108','request_id':'r-1'}", "{'accept':'*/*'}", "['plan=enterprise']", "lib", "256", "30", "400",
	}}, query(t, server, `SELECT project, ts, kind, service, env, release, instance, method, route, path, status, span_status,
		duration, duration_ms, lower(hex(trace_id)), lower(hex(span_id)), lower(hex(parent_span_id)), request_id, error_type, error_message,
		attributes, resource, correlation, request_headers, facet_items, scope_name, weight, ttl_days, rollup_ttl_days
		FROM trackway.requests WHERE request_id = 'r-1'`))
	assert.Equal(t, [][]string{{"exception", "17", "3"}, {"order.paid", "9", "1"}}, query(t, server,
		"SELECT name, severity, count() FROM trackway.events GROUP BY ALL ORDER BY name"))
	assert.Equal(t, [][]string{{"event", "order.paid", "0"}, {"request", "GET /projects/:id/tasks", "500"}}, query(t, server,
		"SELECT kind, name, status FROM trackway.journey WHERE key = 'order_id' AND value = 'o_9' OR key = 'request_id' AND value = 'r-2' AND kind = 'request' ORDER BY kind"))
	assert.Equal(t, [][]string{{"3", "768", "2437200000"}}, query(t, server, "SELECT sum(cnt), sum(weight), sum(dur_ns) FROM trackway.cnt_h"))
	assert.Equal(t, [][]string{{fmt.Sprint(schema.Bucket(812_400_000)), "3"}}, query(t, server, "SELECT b, sum(cnt) FROM trackway.lat_h GROUP BY b"))
	assert.Equal(t, [][]string{{fmt.Sprint(schema.TraceHash([16]byte{1, 2, 3, 4}))}}, query(t, server, "SELECT DISTINCT h FROM trackway.trace_index"))
	assert.Equal(t, [][]string{{"plan", "enterprise", "3"}}, query(t, server, "SELECT field, value, sum(cnt) FROM trackway.facets GROUP BY ALL"))
}

// TestRepeatedUnitIsStoredOnce repeats a unit after its answer, and several times
// at once, as when a try timed out that the engine is still working on.
func TestRepeatedUnitIsStoredOnce(t *testing.T) {
	server := enginetest.Start(t)
	e := startExporter(t, configFor(server))
	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())))

	for round := range 5 {
		inserts, err := new(columns.Encoder).Unit(newUnit(0).id, batchOf(requestTraces(100, time.Now().Add(-time.Hour))).Parts())
		require.NoError(t, err)
		var wg sync.WaitGroup
		for _, ins := range inserts {
			for range 3 {
				wg.Go(func() { assert.NoError(t, e.inserter.try(context.Background(), ins)) })
			}
		}
		wg.Wait()
		for _, ins := range inserts {
			require.NoError(t, e.inserter.try(context.Background(), ins))
		}
		want := [][]string{{fmt.Sprint(1 + 100*(round+1))}}
		for _, sql := range []string{
			"SELECT count() FROM trackway.requests", "SELECT count() FROM trackway.events",
			"SELECT sum(cnt) FROM trackway.cnt_m", "SELECT sum(cnt) FROM trackway.cnt_h",
			"SELECT sum(cnt) FROM trackway.lat_m", "SELECT sum(cnt) FROM trackway.lat_q", "SELECT sum(cnt) FROM trackway.lat_h",
			"SELECT sum(cnt) FROM trackway.facets",
			"SELECT countIf(key = 'request_id' AND kind = 'request') FROM trackway.journey",
		} {
			assert.Equal(t, want, query(t, server, sql), sql)
		}
	}
}

func TestForeignSchemaIsRefused(t *testing.T) {
	server := enginetest.Start(t)
	refused := func(create bool, want string) {
		t.Helper()
		cfg := configFor(server)
		cfg.CreateSchema = create
		e, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
		require.NoError(t, err)
		host := &statusHost{}
		require.NoError(t, e.Start(context.Background(), host))
		err = e.ConsumeTraces(context.Background(), requestTraces(1, time.Now()))
		require.ErrorContains(t, err, want)
		assert.True(t, consumererror.IsPermanent(err))
		assert.Equal(t, componentstatus.StatusPermanentError, host.last())
		require.NoError(t, e.Shutdown(context.Background()))
	}
	refused(false, fmt.Sprintf("database trackway has schema version 0, want %d: set create_schema: true", schema.Version))
	server.Exec(t, "CREATE DATABASE trackway")
	server.Exec(t, "CREATE TABLE trackway.schema_version (version UInt32) ENGINE = MergeTree ORDER BY version")
	server.Exec(t, "INSERT INTO trackway.schema_version VALUES (99)")
	refused(true, fmt.Sprintf("schema version 99, this release knows %d", schema.Version))
}

func TestSchemaIsCreatedAgainWhenTheStoreWasEmptied(t *testing.T) {
	server := enginetest.Start(t)
	e := startExporter(t, configFor(server))
	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())))
	server.Exec(t, "DROP DATABASE trackway")
	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(2, time.Now())))
	assert.Equal(t, [][]string{{"2"}}, query(t, server, "SELECT count() FROM trackway.requests"))
}

func TestNoProjectIsRefused(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.ClickHouse.Endpoint = "http://127.0.0.1:1"
	e := startExporter(t, cfg)
	td := requestTraces(1, time.Now())
	td.ResourceSpans().At(0).Resource().Attributes().Remove("trackway.project")
	err := e.ConsumeTraces(context.Background(), td)
	require.ErrorContains(t, err, "put the project processor first in the pipeline")
	assert.True(t, consumererror.IsPermanent(err))
}
