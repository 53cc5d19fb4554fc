package otlpmeter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// within puts a body into messages, the innermost first.
func within(body []byte, fields ...int) []byte {
	for _, field := range fields {
		head := binary.AppendUvarint(nil, uint64(field)<<3|2)
		body = append(binary.AppendUvarint(head, uint64(len(body))), body...)
	}
	return body
}

// many is a field of a message, n times.
func many(n, field int, body ...byte) []byte {
	return bytes.Repeat(within(body, field), n)
}

// decode decodes a request of a path as the receiver does.
func decode(t *testing.T, path string, isJSON bool, body []byte) (request any, err error) {
	t.Helper()
	traces, logs, metrics := ptraceotlp.NewExportRequest(), plogotlp.NewExportRequest(), pmetricotlp.NewExportRequest()
	switch path {
	case "/v1/traces":
		if isJSON {
			return traces, traces.UnmarshalJSON(body)
		}
		return traces, traces.UnmarshalProto(body)
	case "/v1/logs":
		if isJSON {
			return logs, logs.UnmarshalJSON(body)
		}
		return logs, logs.UnmarshalProto(body)
	}
	return metrics, metrics.UnmarshalProto(body)
}

// taken is how much the heap grows by a request that was decoded.
func taken(t *testing.T, path string, isJSON bool, body []byte) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	request, err := decode(t, path, isJSON, body)
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(request)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestMeterCoversTheDecoded decodes what takes the most for its bytes, and compares.
func TestMeterCoversTheDecoded(t *testing.T) {
	const n = 100_000
	value := within(nil, 2) // of a KeyValue
	empty := func(field int) []byte { return many(n, field) }
	for name, c := range map[string]struct {
		path string
		json bool
		body []byte
	}{
		"spans":                  {"/v1/traces", false, within(empty(2), 2, 1)},
		"span events":            {"/v1/traces", false, within(empty(11), 2, 2, 1)},
		"span links":             {"/v1/traces", false, within(empty(13), 2, 2, 1)},
		"span attributes":        {"/v1/traces", false, within(empty(9), 2, 2, 1)},
		"attributes with values": {"/v1/traces", false, within(many(n, 9, append(value, within(within([]byte{0x18, 7}, 2), 9)...)...), 2, 2, 1)},
		"event attributes":       {"/v1/traces", false, within(empty(3), 11, 2, 2, 1)},
		"array elements":         {"/v1/traces", false, within(empty(1), 5, 2, 9, 2, 2, 1)},
		"list elements":          {"/v1/traces", false, within(empty(1), 6, 2, 9, 2, 2, 1)},
		"lists":                  {"/v1/traces", false, within(many(n, 9, within(within(nil, 6), 2)...), 2, 2, 1)},
		"scopes of spans":        {"/v1/traces", false, within(empty(2), 1)},
		"resources of spans":     {"/v1/traces", false, empty(1)},
		"former scopes":          {"/v1/traces", false, within(empty(1000), 1)},
		"entities":               {"/v1/traces", false, within(empty(3), 1, 1)},
		"keys of entities":       {"/v1/traces", false, within(empty(3), 3, 1, 1)},
		"log records":            {"/v1/logs", false, within(empty(2), 2, 1)},
		"scopes of logs":         {"/v1/logs", false, within(empty(2), 1)},
		"resources of logs":      {"/v1/logs", false, empty(1)},
		"metrics":                {"/v1/metrics", false, within(empty(2), 2, 1)},
		"scopes of metrics":      {"/v1/metrics", false, within(empty(2), 1)},
		"gauges":                 {"/v1/metrics", false, within(many(n, 2, within(nil, 5)...), 2, 1)},
		"gauge points":           {"/v1/metrics", false, within(empty(1), 5, 2, 2, 1)},
		"sum points":             {"/v1/metrics", false, within(empty(1), 7, 2, 2, 1)},
		"histogram points":       {"/v1/metrics", false, within(empty(1), 9, 2, 2, 1)},
		"exponential points":     {"/v1/metrics", false, within(empty(1), 10, 2, 2, 1)},
		"buckets":                {"/v1/metrics", false, within(bytes.Repeat([]byte{1}, n), 2, 8, 1, 10, 2, 2, 1)},
		"summary points":         {"/v1/metrics", false, within(empty(1), 11, 2, 2, 1)},
		"quantiles":              {"/v1/metrics", false, within(empty(6), 1, 11, 2, 2, 1)},
		"exemplars":              {"/v1/metrics", false, within(empty(5), 1, 5, 2, 2, 1)},
		"JSON spans":             {"/v1/traces", true, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat("{},", n) + `{}]}]}]}`)},
		"JSON attributes":        {"/v1/traces", true, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[` + strings.Repeat("{},", n) + `{}]}]}]}]}`)},
		"JSON values":            {"/v1/logs", true, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[` + strings.Repeat(`{"value":{"arrayValue":{}}},`, n) + `{}]}}}]}]}]}`)},
		"JSON log records":       {"/v1/logs", true, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Repeat("{},", n) + `{}]}]}]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			m := ForPath(c.path, c.json)
			_, err := m.Write(c.body)
			require.NoError(t, err)
			got, found := taken(t, c.path, c.json, c.body), m.Bytes()
			t.Logf("%d bytes take %d, found %d (%.2f)", len(c.body), got, found, float64(found)/float64(got))
			assert.GreaterOrEqual(t, float64(found)*1.05, float64(got))
			assert.Less(t, found, 4*got+64*n, "much too much")
		})
	}
}

func ordinary() (ptrace.Traces, plog.Logs) {
	td, ld := ptrace.NewTraces(), plog.NewLogs()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for i := range 500 {
		s, r := spans.AppendEmpty(), records.AppendEmpty()
		s.SetName("GET /projects/:id/tasks")
		s.SetTraceID([16]byte{1, byte(i)})
		s.SetSpanID([8]byte{1, byte(i)})
		s.SetStartTimestamp(1)
		s.SetEndTimestamp(2)
		r.Body().SetStr("a message of some length, as people write them")
		for k := range 10 {
			s.Attributes().PutStr(fmt.Sprintf("attribute.number.%d", k), "some value")
			r.Attributes().PutInt(fmt.Sprintf("attribute.number.%d", k), int64(k))
		}
	}
	return td, ld
}

// TestOrdinaryRequests take some times their bytes, not many.
func TestOrdinaryRequests(t *testing.T) {
	td, ld := ordinary()
	traces, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(t, err)
	logs, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	require.NoError(t, err)
	asJSON, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalJSON()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		path string
		json bool
		body []byte
	}{"traces": {"/v1/traces", false, traces}, "logs": {"/v1/logs", false, logs}, "JSON": {"/v1/traces", true, asJSON}} {
		m := ForPath(c.path, c.json)
		_, err := m.Write(c.body)
		require.NoError(t, err)
		t.Logf("%s: %d bytes, found %d", name, len(c.body), m.Bytes())
		assert.Less(t, m.Bytes(), 6*int64(len(c.body)), name)

		inPieces := ForPath("/tenant"+c.path, c.json)
		for _, b := range c.body {
			_, err := inPieces.Write([]byte{b})
			require.NoError(t, err)
		}
		assert.Equal(t, m.Bytes(), inPieces.Bytes(), "%s, byte by byte", name)
	}
}

func TestDepth(t *testing.T) {
	deep := func(n int) []byte {
		var body []byte
		for range n / 2 {
			body = within(body, 1, 5) // values of array_value
		}
		return within(body, 5, 2, 2, 1)
	}
	m := ForType("ExportLogsServiceRequest")
	_, err := m.Write(deep(MaxDepth - 4))
	require.NoError(t, err)
	m = ForType("ExportLogsServiceRequest")
	_, err = m.Write(deep(MaxDepth + 4))
	require.ErrorIs(t, err, ErrTooDeep)
	_, err = ForPath("/v1/logs", true).Write([]byte(strings.Repeat("[", MaxDepth+1)))
	require.ErrorIs(t, err, ErrTooDeep)
	assert.Nil(t, ForPath("/v1/ingest", false))
	assert.Nil(t, ForPath("/", false))
	assert.Nil(t, ForType("Other"))
}

// TestBrokenBytes fail to be decoded, so they cost nothing; groups, which OTLP has
// none of, count as the worst they can be.
func TestBrokenBytes(t *testing.T) {
	for name, body := range map[string][]byte{
		"a number without end":      append(bytes.Repeat([]byte{0xff}, 12), make([]byte, 1000)...),
		"field 0":                   append([]byte{0x02, 0}, make([]byte, 1000)...),
		"longer than its message":   append([]byte{0x0a, 2, 0x12, 9}, make([]byte, 1000)...),
		"a fixed one beyond its":    append([]byte{0x0a, 2, 0x11, 9}, make([]byte, 1000)...),
		"a number beyond its":       append([]byte{0x0a, 2, 0x10, 0x80, 0x80, 0x01}, make([]byte, 1000)...),
		"a length near the largest": append([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, make([]byte, 1000)...),
	} {
		m := ForPath("/v1/traces", false)
		_, err := m.Write(body)
		require.NoError(t, err)
		assert.Less(t, m.Bytes(), int64(1000), name)
		_, err = decode(t, "/v1/traces", false, body)
		require.Error(t, err, name)
	}
	m := ForPath("/v1/traces", false)
	_, err := m.Write(append([]byte{0x0b}, within(many(1000, 2), 2, 1)...))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, m.Bytes(), int64(1900*worst), "a group")
}

// FuzzMeter looks for bytes that a decoder takes and that take more than was found.
func FuzzMeter(f *testing.F) {
	td, ld := ordinary()
	traces, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(f, err)
	logs, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	require.NoError(f, err)
	f.Add(traces[:2000])
	f.Add(logs[:2000])
	f.Add(within(many(20, 2), 2, 1))
	f.Add(within(many(20, 1), 8, 1, 10, 2, 2, 1))
	f.Add([]byte{0x0b, 0x0c})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/v1/traces", "/v1/logs", "/v1/metrics"} {
			m := ForPath(path, false)
			_, err := m.Write(body)
			if err != nil {
				continue // refused
			}
			if _, err := decode(t, path, false, body); err != nil {
				continue
			}
			p := m.(*protobuf)
			if p.state == lost {
				continue // charged for the worst
			}
			if p.state == broken {
				t.Fatalf("%x is decoded, and the meter calls it broken", body)
			}
			if len(p.open) != 1 || p.skip != 0 {
				t.Fatalf("%x is decoded, and the meter is inside a message", body)
			}
		}
	})
}

func BenchmarkProtobuf(b *testing.B) {
	td, _ := ordinary()
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(b, err)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		m := ForPath("/v1/traces", false)
		_, _ = m.Write(body)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/span")
}
