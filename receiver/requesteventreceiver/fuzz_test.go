package requesteventreceiver

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Whatever a line holds, it is one item or none, its text is UTF-8, a span ends
// after it started, and it can be encoded as OTLP.
func FuzzLine(f *testing.F) {
	files, err := filepath.Glob("testdata/items/*.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range bytes.Split(bytes.TrimSpace(body), []byte("\n")) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"type":"request","ts":1e17,"duration_ms":1e-9,"attributes":{"a":1e999,"b":-0,"\ud800":"\ud800","c":[[{}]]}}`))
	d := newDecoder()
	f.Fuzz(func(t *testing.T, line []byte) {
		d.reset(testLimits, testNow)
		_, lerr := d.decode(line)
		items := d.batch.traces.SpanCount() + d.batch.logs.LogRecordCount()
		if items != d.batch.items() || (lerr == nil) != (items == 1) {
			t.Fatalf("%d items, counted %d, error %v", items, d.batch.items(), lerr)
		}
		if lerr != nil {
			if !utf8.ValidString(lerr.text) || len(lerr.text) > maxErrorBytes {
				t.Fatalf("error text %q", lerr.text)
			}
			return
		}
		traces, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(d.batch.traces)
		if err != nil || !utf8.ValidString(textOf(t, d.batch.traces)) {
			t.Fatalf("traces %q, error %v", traces, err)
		}
		if _, err := (&plog.JSONMarshaler{}).MarshalLogs(d.batch.logs); err != nil {
			t.Fatal(err)
		}
		for _, rs := range d.batch.traces.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				if s.EndTimestamp() < s.StartTimestamp() {
					t.Fatalf("span ends %d before it starts %d", s.EndTimestamp(), s.StartTimestamp())
				}
			}
		}
	})
}

// textOf gathers every string of the traces.
func textOf(t *testing.T, td ptrace.Traces) string {
	t.Helper()
	var b bytes.Buffer
	for _, rs := range td.ResourceSpans().All() {
		for k, v := range rs.Resource().Attributes().All() {
			b.WriteString(k + v.AsString())
		}
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			b.WriteString(s.Name() + s.TraceState().AsRaw() + s.Status().Message())
			for k, v := range s.Attributes().All() {
				b.WriteString(k + v.AsString())
			}
		}
	}
	return b.String()
}
