package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/trackwayhq/trackway/tests/harness"
)

// TestOTLPClocks sends one batch whose spans lie on 40 days and in the future:
// what is within retention is stored under its own time, what is older is
// dropped, what is ahead is clamped and marked, and no bad clock costs another
// span its place.
func TestOTLPClocks(t *testing.T) {
	const days, retention = 40, 30
	stack := harness.StartStack(t)
	now := time.Now().UTC().Add(-time.Minute)
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "clocks")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	add := func(day string, at time.Time) {
		s := spans.AppendEmpty()
		s.SetTraceID([16]byte{1, 15: byte(spans.Len())})
		s.SetSpanID([8]byte{1, 7: byte(spans.Len())})
		s.SetKind(ptrace.SpanKindServer)
		s.SetName("GET /day")
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(time.Millisecond)))
		s.Attributes().PutStr("http.request.method", "GET")
		s.Attributes().PutStr("http.route", "/day")
		s.Attributes().PutStr("day", day)
	}
	for day := range days {
		add(fmt.Sprint(day), now.Add(-time.Duration(day)*24*time.Hour))
	}
	add("ahead", now.Add(24*time.Hour))
	overHTTP("application/x-protobuf", "")(t, stack, signals{
		ptraceotlp.NewExportRequestFromTraces(traces), plogotlp.NewExportRequestFromLogs(plog.NewLogs()), pmetricotlp.NewExportRequest(),
	})

	// The newest 30 days (day 0 to 29) and the one that is ahead.
	require.Eventually(t, func() bool {
		got, err := stack.ClickHouse.TryQuery(t.Context(), "SELECT count() FROM trackway.requests WHERE service = 'clocks'")
		return err == nil && got == fmt.Sprint(retention+1)
	}, arrival, 100*time.Millisecond)
	assert.Equal(t, "0", stack.ClickHouse.Query(t, "SELECT count() FROM trackway.requests WHERE toUInt32OrZero(attributes['day']) >= 30"))
	assert.Equal(t, fmt.Sprint(retention), stack.ClickHouse.Query(t, fmt.Sprintf(
		"SELECT count() FROM trackway.requests WHERE attributes['day'] != 'ahead' AND toUnixTimestamp64Nano(ts) = %d - toInt64(attributes['day']) * 86400000000000", now.UnixNano())))
	ahead := stack.List(t, "requests", "attributes['day'] = 'ahead'")
	require.Len(t, ahead, 1)
	assert.Contains(t, ahead[0].Marks, "clamped")
	assert.Equal(t, fmt.Sprint(retention+1), stack.ClickHouse.Query(t, "SELECT sum(cnt) FROM trackway.cnt_m WHERE service = 'clocks'"), "the rollup counts what is stored")
}
