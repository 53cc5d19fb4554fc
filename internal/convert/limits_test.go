package convert

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

func putMany(m pcommon.Map, n int) {
	for i := range n {
		m.PutInt(fmt.Sprintf("k%d", i), int64(i))
	}
}

func tracesOf(c *Converter, td ptrace.Traces, now time.Time) Batch {
	src, release := ids.NewGenerator().For("", ids.Traces)
	defer release()
	return c.Traces(td, src, now)
}

func logsOf(c *Converter, ld plog.Logs) Batch {
	src, release := ids.NewGenerator().For("", ids.Logs)
	defer release()
	return c.Logs(ld, src, time.Now())
}

func TestWhatIsBeyondLimitsIsLeftOut(t *testing.T) {
	conv := New(Options{TTLDays: 30, Limits: Limits{MaxAttributes: 4, MaxEvents: 3, MaxLinks: 2}})
	td, s := testTraces(ptrace.SpanKindServer, map[string]any{"http.request.method": "GET"})
	now := time.Now()
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(now))
	putMany(s.Attributes(), 10)
	s.Attributes().PutStr("correlation.user_id", "u_1") // as the correlation processor does, at the end
	s.Attributes().PutStr(conventions.Marks, "truncated")
	s.SetDroppedEventsCount(5)
	for i := range 8 {
		e := s.Events().AppendEmpty()
		e.SetName(fmt.Sprintf("e%d", i))
		l := s.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID{byte(i + 1)})
	}
	s.Events().At(7).SetName("exception")
	s.Events().At(7).Attributes().PutStr("exception.type", "TimeoutError")
	putMany(s.Events().At(0).Attributes(), 6)
	putMany(s.Links().At(0).Attributes(), 6)

	got := tracesOf(conv, td, now)
	assert.Equal(t, 1, got.Items)
	assert.Len(t, got.Records, 1+3)
	r := got.Records[0]
	assert.Equal(t, "GET", r.Method)
	assert.Equal(t, "TimeoutError", r.ErrorType, "of the last exception, also where its event is left out")
	assert.Equal(t, map[string]string{"user_id": "u_1"}, r.Correlation.Map())
	assert.Equal(t, "truncated,attributes_left_out,events_left_out,links_left_out", r.Marks)
	assert.Equal(t, map[string]string{
		"k0": "0", "k1": "1", "k2": "2",
		"otel.dropped_attributes_count": "9", "otel.dropped_events_count": "10", "otel.dropped_links_count": "6",
	}, r.Attributes.Map())
	first := got.Records[1]
	assert.Equal(t, "e0", first.Name)
	assert.Equal(t, "attributes_left_out", first.Marks)
	assert.Len(t, first.Attributes, 4+1)
	assert.Empty(t, got.Records[2].Marks, "of the event alone")
	assert.Equal(t, [partCount]uint64{partAttributes: 7 + 2 + 2, partEvents: 5, partLinks: 6}, conv.LeftOut())

	// Nothing is left of it for the next.
	td, _ = testTraces(ptrace.SpanKindServer, map[string]any{"http.request.method": "GET"})
	assert.NotContains(t, tracesOf(conv, td, now).Records[0].Marks, "left_out")
}

func TestResourcesAndScopesHaveLimits(t *testing.T) {
	conv := New(Options{TTLDays: 30, Limits: Limits{MaxAttributes: 4, MaxEvents: 3, MaxLinks: 2}})
	ld := plog.NewLogs()
	for _, n := range []int{10, 2} {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr(conventions.Project, "default")
		putMany(rl.Resource().Attributes(), n)
		rl.Resource().Attributes().PutStr("service.name", "api")
		for _, m := range []int{0, 7} {
			sl := rl.ScopeLogs().AppendEmpty()
			putMany(sl.Scope().Attributes(), m)
			for range 2 {
				sl.LogRecords().AppendEmpty().Body().SetStr("m")
			}
		}
	}
	got := logsOf(conv, ld)
	assert.Len(t, got.Records, 8)
	for i, r := range got.Records {
		assert.Equal(t, "api", r.Service, "found behind the limit")
		assert.Equal(t, record.Event, r.Kind)
		if i < 4 {
			assert.Len(t, r.Resource, 4)
		}
		assert.Equal(t, i/2 != 2, r.Marks == "ts_absent,attributes_left_out", "%d: %s", i, r.Marks)
	}
	assert.EqualValues(t, 6+3+3, conv.LeftOut()[partAttributes])
}
