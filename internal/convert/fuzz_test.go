package convert

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// Whatever a request of OTLP holds, each of its items is converted or dropped, and
// none has more than the limits allow.
func FuzzConvert(f *testing.F) {
	td, s := testTraces(ptrace.SpanKindServer, map[string]any{"http.request.method": "GET", "correlation.user_id": "u_1"})
	s.Events().AppendEmpty().SetName("exception")
	s.Links().AppendEmpty().Attributes().PutStr("a", "b")
	traces, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(f, err)
	ld := plog.NewLogs()
	r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	r.Body().SetEmptyMap().PutEmptySlice("a").AppendEmpty().SetDouble(1)
	logs, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	require.NoError(f, err)
	f.Add(traces)
	f.Add(logs)
	limits := Limits{MaxAttributes: 4, MaxEvents: 2, MaxLinks: 2}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got Batch
		items := 0
		if td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body); err == nil {
			for _, rs := range td.ResourceSpans().All() {
				rs.Resource().Attributes().PutStr(conventions.Project, "default")
			}
			items += td.SpanCount()
			got = tracesOf(New(Options{TTLDays: 30, Limits: limits}), td, time.Now())
		}
		if ld, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(body); err == nil {
			for _, rl := range ld.ResourceLogs().All() {
				rl.Resource().Attributes().PutStr(conventions.Project, "default")
			}
			items += ld.LogRecordCount()
			more := logsOf(New(Options{TTLDays: 30, Limits: limits}), ld)
			got.Items += more.Items
			got.Records = append(got.Records, more.Records...)
			for i, n := range more.Dropped {
				got.Dropped[i] += n
			}
		}
		if sum := got.Items + got.Dropped[TooOld] + got.Dropped[NoProject]; sum != items {
			t.Fatalf("%d items, %d converted or dropped", items, sum)
		}
		if most := got.Items * (1 + limits.MaxEvents); len(got.Records) > most {
			t.Fatalf("%d records of %d items", len(got.Records), got.Items)
		}
		for i := range got.Records {
			if r := &got.Records[i]; r.Project != "default" || r.TTLDays != 30 || r.Time.After(time.Now().Add(maxAhead+time.Minute)) {
				t.Fatalf("record %+v", r)
			}
		}
	})
}
