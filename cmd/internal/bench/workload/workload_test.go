package workload

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 123456000, time.UTC)

func TestParseMix(t *testing.T) {
	for in, want := range map[string]Mix{
		"": {Requests: 1}, "1:4:1": {1, 4, 1}, "0:0:3": {Events: 3},
	} {
		got, err := ParseMix(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{"1", "1:2", "a:b:c", "0:0:0", "1:-1:1", "1:2:3:4"} {
		_, err := ParseMix(in)
		assert.ErrorContains(t, err, "1:4:1", in)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]Options{
		`format: want ndjson or otlp, got ""`:                        {Batch: 1, Bodies: 1},
		"batch: want 1 to 1000000 items, got 0":                      {Format: NDJSON, Bodies: 1},
		"bodies: want at least 1, got 0":                             {Format: NDJSON, Batch: 1},
		"spread_days: want 0 to 29, less than the retention, got 30": {Format: OTLP, Batch: 1, Bodies: 1, SpreadDays: 30},
	} {
		_, err := Prepare(o)
		assert.EqualError(t, err, want)
	}
}

type ndjsonLine struct {
	Type         string            `json:"type"`
	Time         time.Time         `json:"ts"`
	TraceID      string            `json:"trace_id"`
	SpanID       string            `json:"span_id"`
	ParentSpanID string            `json:"parent_span_id"`
	RequestID    string            `json:"request_id"`
	Attributes   map[string]string `json:"attributes"`
	Correlation  map[string]string `json:"correlation"`
}

func lines(t *testing.T, content []byte) (all []ndjsonLine) {
	t.Helper()
	for text := range bytes.Lines(content) {
		var l ndjsonLine
		require.NoError(t, json.Unmarshal(text, &l), "%s", text)
		all = append(all, l)
	}
	return all
}

func TestNDJSONBodiesKeepTheirTraces(t *testing.T) {
	bodies, err := Prepare(Options{Seed: 1, Format: NDJSON, Mix: Mix{1, 4, 1}, Batch: 60, Bodies: 2})
	require.NoError(t, err)
	again, err := Prepare(Options{Seed: 1, Format: NDJSON, Mix: Mix{1, 4, 1}, Batch: 60, Bodies: 2})
	require.NoError(t, err)
	seen := map[string]bool{}
	for n, b := range bodies {
		assert.Equal(t, again[n].Content, b.Content, "a seed decides the bodies")
		assert.Equal(t, [3]int{10, 40, 10}, [3]int{b.Requests, b.Spans, b.Events})
		size := len(b.Content)
		for round := range 3 {
			b.Stamp(uint64(10*n+round), noon)
			require.Len(t, b.Content, size)
			all := lines(t, b.Content)
			require.Len(t, all, 60)
			for i, l := range all {
				first := all[i-i%6]
				assert.Equal(t, first.TraceID, l.TraceID, "six items are a trace")
				assert.Equal(t, noon.Add(-step*time.Duration(59-i)).Truncate(time.Microsecond), l.Time)
				assert.Len(t, l.Attributes, 3)
				assert.Len(t, l.Correlation, 3)
				assert.Equal(t, first.RequestID, l.Correlation["request_id"])
				switch l.Type {
				case "request":
					assert.False(t, seen[l.TraceID], "a trace came twice")
					seen[l.TraceID] = true
					assert.Empty(t, l.ParentSpanID)
				case "span":
					assert.Equal(t, first.SpanID, l.ParentSpanID)
					assert.NotEqual(t, first.SpanID, l.SpanID)
				case "event":
					assert.Equal(t, first.SpanID, l.SpanID)
				}
			}
		}
	}
}

func TestTimesAreSpreadOverDays(t *testing.T) {
	for _, format := range []Format{NDJSON, OTLP} {
		bodies, err := Prepare(Options{Seed: 1, Format: format, Batch: 2000, Bodies: 1, SpreadDays: 20})
		require.NoError(t, err)
		bodies[0].Stamp(1, noon)
		days := map[int]int{}
		if format == NDJSON {
			for _, l := range lines(t, bodies[0].Content) {
				days[int(noon.Sub(l.Time).Hours()/24)]++
			}
		} else {
			for _, s := range spans(t, bodies[0]) {
				days[int(noon.Sub(s.StartTimestamp().AsTime()).Hours()/24)]++
			}
		}
		assert.Len(t, days, 20)
		for day, n := range days {
			assert.InDelta(t, 100, n, 60, "day %d", day)
		}
	}
}

func spans(t *testing.T, b *Body) (all []ptrace.Span) {
	t.Helper()
	require.Equal(t, "/v1/traces", b.Path)
	r := ptraceotlp.NewExportRequest()
	require.NoError(t, r.UnmarshalProto(b.Content))
	require.Equal(t, 1, r.Traces().ResourceSpans().Len())
	for _, s := range r.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		all = append(all, s)
	}
	return all
}

func keys(m pcommon.Map) (attributes, correlation int, requestID string) {
	for k, v := range m.All() {
		switch k {
		case "plan", "region", "cache":
			attributes++
		case "correlation.request_id":
			requestID = v.Str()
			correlation++
		case "correlation.user_id", "correlation.account_id":
			correlation++
		}
	}
	return attributes, correlation, requestID
}

func TestOTLPBodiesSayTheSame(t *testing.T) {
	bodies, err := Prepare(Options{Seed: 3, Format: OTLP, Mix: Mix{1, 4, 1}, Batch: 50, Bodies: 12})
	require.NoError(t, err)
	var sum [3]int
	for seq, b := range bodies {
		b.Stamp(uint64(990+seq), noon)
		sum[0], sum[1], sum[2] = sum[0]+b.Requests, sum[1]+b.Spans, sum[2]+b.Events
		var resource pcommon.Resource
		if b.Path == "/v1/logs" {
			r := plogotlp.NewExportRequest()
			require.NoError(t, r.UnmarshalProto(b.Content))
			resource = r.Logs().ResourceLogs().At(0).Resource()
			records := r.Logs().ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
			require.Equal(t, 50, records.Len())
			for i, l := range records.All() {
				attributes, correlation, id := keys(l.Attributes())
				assert.Equal(t, [2]int{3, 3}, [2]int{attributes, correlation})
				assert.NotContains(t, id, "0")
				assert.Equal(t, noon.Add(-step*time.Duration(49-i)), l.Timestamp().AsTime())
				assert.False(t, l.TraceID().IsEmpty())
			}
		} else {
			all := spans(t, b)
			require.Len(t, all, 50)
			r := ptraceotlp.NewExportRequest()
			require.NoError(t, r.UnmarshalProto(b.Content))
			resource = r.Traces().ResourceSpans().At(0).Resource()
			for i, s := range all {
				attributes, correlation, id := keys(s.Attributes())
				assert.Equal(t, [2]int{3, 3}, [2]int{attributes, correlation})
				assert.NotContains(t, id, "0")
				root := all[i-i%5]
				assert.Equal(t, root.TraceID(), s.TraceID())
				assert.Greater(t, s.EndTimestamp(), s.StartTimestamp())
				if s.Kind() == ptrace.SpanKindServer {
					requestID, _ := s.Attributes().Get("trackway.request.id")
					assert.Equal(t, id, requestID.Str())
					assert.True(t, s.ParentSpanID().IsEmpty())
				} else {
					assert.Equal(t, root.SpanID(), s.ParentSpanID())
				}
			}
		}
		service, _ := resource.Attributes().Get("service.name")
		assert.Contains(t, services, service.Str())
	}
	assert.Equal(t, [3]int{100, 400, 100}, sum)
}

func BenchmarkStamp(b *testing.B) {
	for _, format := range []Format{NDJSON, OTLP} {
		b.Run(string(format), func(b *testing.B) {
			bodies, err := Prepare(Options{Seed: 1, Format: format, Batch: 500, Bodies: 1})
			require.NoError(b, err)
			b.ReportMetric(float64(len(bodies[0].Content))/500, "B/item")
			for i := range b.N {
				bodies[0].Stamp(uint64(i), noon)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/item")
		})
	}
}
