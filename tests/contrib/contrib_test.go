package contrib_test

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

//go:embed collector.yaml
var configuration string

// arrival is how long data may take to be there before the test gives up.
const arrival = 60 * time.Second

// TestUpstreamExporter sends all three signals through the upstream exporter,
// with each compression it offers and both forms of attributes.
func TestUpstreamExporter(t *testing.T) {
	for _, c := range []struct{ compress, json string }{
		{"none", "false"}, {"lz4", "false"}, {"zstd", "false"}, {"gzip", "false"}, {"lz4", "true"},
	} {
		t.Run("compress "+c.compress+" json "+c.json, func(t *testing.T) {
			engine := harness.StartEngine(t)
			addresses := harness.FreeAddresses(t, 3)
			harness.StartCollector(t, configuration, addresses[0],
				"HEALTH="+addresses[0], "OTLP_HTTP="+addresses[1], "OTLP_GRPC="+addresses[2],
				"CLICKHOUSE="+engine.URL(), "PASSWORD="+engine.Password, "COMPRESS="+c.compress, "JSON="+c.json)

			last := sendTraces(t, addresses[1])
			sendLogs(t, addresses[1])
			sendMetrics(t, addresses[1])

			waitFor(t, engine, "otel.otel_traces", spanCount)
			waitFor(t, engine, "otel.otel_logs", logCount)
			for _, kind := range []string{"sum", "gauge", "histogram", "exponential_histogram"} {
				waitFor(t, engine, "otel.otel_metrics_"+kind, 1)
			}
			checkTrace(t, engine, last, c.json == "true")
			checkLogs(t, engine, c.json == "true")
			checkMetrics(t, engine)
		})
	}
}

func waitFor(t *testing.T, engine *harness.Engine, table string, rows int) {
	t.Helper()
	var last string
	ok := assert.Eventually(t, func() bool {
		count, err := engine.TryQuery(context.Background(), "SELECT count() FROM "+table)
		last = fmt.Sprint(count, " ", err)
		return err == nil && count == strconv.Itoa(rows)
	}, arrival, 100*time.Millisecond)
	require.Truef(t, ok, "%s: want %d rows, have %s", table, rows, last)
}

func checkTrace(t *testing.T, engine *harness.Engine, want sentSpan, json bool) {
	t.Helper()
	where := " FROM otel.otel_traces WHERE SpanId = '" + want.spanID + "' FORMAT TSVRaw"
	stamp := func(at time.Time) string { return at.Format("2006-01-02 15:04:05.000000000") }
	assert.Equal(t, fmt.Sprintf("%s\t%s\tchild\tInternal\tcontrib-shop\tcontrib\t1.0\t%d\tError\tbroken\t%s",
		want.traceID, want.parentID, want.end.Sub(want.start).Nanoseconds(), stamp(want.start)),
		engine.Query(t, "SELECT TraceId, ParentSpanId, SpanName, SpanKind, ServiceName, ScopeName, ScopeVersion, Duration, StatusCode, StatusMessage, Timestamp"+where))
	assert.Equal(t, "['note']\t['"+want.parentID+"']",
		engine.Query(t, "SELECT Events.Name, Links.SpanId"+where))
	assert.Equal(t, stamp(want.start.Add(time.Microsecond)), engine.Query(t, "SELECT Events.Timestamp[1]"+where))
	if json {
		assert.Equal(t, strconv.Itoa(spanCount/2-1), engine.Query(t, "SELECT SpanAttributes.i"+where))
		return
	}
	assert.Equal(t, strconv.Itoa(spanCount/2-1)+"\t[\"x\",\"ü\"]\ta\tb'c;d\tv;'\t",
		engine.Query(t, "SELECT SpanAttributes['i'], SpanAttributes['tags'], ResourceAttributes['team'], Events.Attributes[1]['k']"+where))
	assert.Equal(t, strconv.Itoa(spanCount/2*(spanCount/2-1)/2),
		engine.Query(t, "SELECT sum(toUInt64OrZero(SpanAttributes['i'])) FROM otel.otel_traces"))
}

func checkLogs(t *testing.T, engine *harness.Engine, json bool) {
	t.Helper()
	attribute := "LogAttributes['i']"
	if json {
		attribute = "toString(LogAttributes.i)"
	}
	assert.Equal(t, "line 7: it's \"odd\"; ü\tWARN\t13\tcontrib-shop\t7",
		engine.Query(t, "SELECT Body, SeverityText, SeverityNumber, ServiceName, "+attribute+" FROM otel.otel_logs WHERE Body LIKE 'line 7:%' FORMAT TSVRaw"))
	assert.Equal(t, strconv.Itoa(logCount), engine.Query(t, "SELECT uniqExact(Body) FROM otel.otel_logs"))
}

func checkMetrics(t *testing.T, engine *harness.Engine) {
	t.Helper()
	for _, c := range []struct{ sql, want string }{
		{"SELECT MetricName, Value, IsMonotonic FROM otel.otel_metrics_sum", "sum\t42\ttrue"},
		{"SELECT MetricName, Value, Attributes['kind'] FROM otel.otel_metrics_gauge", "gauge\t36.6\ttest"},
		{"SELECT MetricName, Count, Sum, BucketCounts, ExplicitBounds, Min, Max FROM otel.otel_metrics_histogram", "histogram\t5\t5605\t[1,2,1,1]\t[10,100,1000]\t5\t5000"},
		{"SELECT MetricName, Count, Sum, Min, Max, arraySum(PositiveBucketCounts), ZeroCount FROM otel.otel_metrics_exponential_histogram", "exponential\t5\t5605\t5\t5000\t5\t0"},
	} {
		assert.Equal(t, c.want, engine.Query(t, c.sql), c.sql)
	}
}
