package requesteventreceiver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/golden"
)

// testNow is when every body of these tests arrives.
var testNow = time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC)

var testLimits = limits{maxBodyBytes: 64, maxAttributes: 32, maxAge: defaultMaxAge, traces: true, logs: true}

func testDecoder(l limits) *decoder {
	d := newDecoder()
	d.reset(l, testNow)
	return d
}

// The golden files are the OTLP JSON of what testdata/items/*.ndjson become.
func TestItems(t *testing.T) {
	files, err := filepath.Glob("testdata/items/*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			d := testDecoder(testLimits)
			for _, line := range bytes.Split(bytes.TrimSpace(body), []byte("\n")) {
				_, lerr := d.decode(line)
				require.Nil(t, lerr)
			}
			traces, err := (&ptrace.JSONMarshaler{}).MarshalTraces(d.batch.traces)
			require.NoError(t, err)
			logs, err := (&plog.JSONMarshaler{}).MarshalLogs(d.batch.logs)
			require.NoError(t, err)
			got, err := json.MarshalIndent(map[string]json.RawMessage{"traces": traces, "logs": logs}, "", "  ")
			require.NoError(t, err)
			golden.Equal(t, strings.TrimSuffix(file, ".ndjson")+".golden.json", string(got)+"\n")
		})
	}
}

func TestRejectedLines(t *testing.T) {
	tests := []struct{ line, reason, want string }{
		{`{"type":"request","status":"abc"}`, "invalid_field", `status: want an integer, got "abc"`},
		{`{"type":"request","status":"200"}`, "invalid_field", `status: want an integer, got "200"`},
		{`{"type":"request","status":200.5}`, "invalid_field", `status: want an integer, got 200.5`},
		{`{"type":"request","status":1000}`, "invalid_field", `status: want an integer from 0 to 999, got 1000`},
		{`{"type":"request","status":-1}`, "invalid_field", `status: want an integer from 0 to 999, got -1`},
		{`{"type":"request","status":{}}`, "invalid_field", `status: want an integer, got an object`},
		{`{"type":"request","request_bytes":-1}`, "invalid_field", `request_bytes: want an integer from 0 to 4611686018427387904, got -1`},
		{`{"type":"request","service":7}`, "invalid_field", `service: want a string, got 7`},
		{`{"type":"request","path":["/"]}`, "invalid_field", `path: want a string, got an array`},
		{`{"type":"request","kind":"ftp"}`, "invalid_field", `kind: want http, rpc, messaging, faas or job, got "ftp"`},
		{`{"type":"request","duration_ms":"1"}`, "invalid_field", `duration_ms: want a number of milliseconds, got "1"`},
		{`{"type":"request","duration_ms":-0.5}`, "invalid_field", `duration_ms: want a number of milliseconds from 0 to 31622400000, got -0.5`},
		{`{"type":"request","duration_ms":1e300}`, "invalid_field", `duration_ms: want a number of milliseconds from 0 to 31622400000, got 1e300`},
		{`{"type":"request","duration_ms":NaN}`, "invalid_field", `duration_ms: want a number of milliseconds from 0 to 31622400000, got NaN`},
		{`{"type":"request","trace_id":"abc"}`, "invalid_field", `trace_id: want 32 hex digits, got "abc"`},
		{`{"type":"request","span_id":"zzzzzzzzzzzzzzzz"}`, "invalid_field", `span_id: want 16 hex digits, got "zzzzzzzzzzzzzzzz"`},
		{`{"type":"request","parent_span_id":1}`, "invalid_field", `parent_span_id: want a string, got 1`},
		{`{"type":"request","attributes":[]}`, "invalid_field", `attributes: want an object, got an array`},
		{`{"type":"request","request_headers":"a"}`, "invalid_field", `request_headers: want an object, got "a"`},
		{`{"type":"request","correlation":{"a":{}}}`, "invalid_field", `correlation.a: want a string, number or boolean, got an object`},
		{`{"type":"request","error":7}`, "invalid_field", `error: want an object of type, message and stack, or a string, got 7`},
		{`{"type":"request","error":{"stack":[]}}`, "invalid_field", `error.stack: want a string, got an array`},
		{`{"type":"request","ts":"yesterday"}`, "invalid_field", `ts: want RFC 3339 or an epoch in s, ms, µs or ns, got "yesterday"`},
		{`{"type":"request","ts":true}`, "invalid_field", `ts: want RFC 3339 or an epoch in s, ms, µs or ns, got true`},
		{`{"type":"request","ts":-5}`, "invalid_field", `ts: want RFC 3339 or an epoch in s, ms, µs or ns, got -5`},
		{`{"type":"request","ts":inf}`, "invalid_field", `ts: want RFC 3339 or an epoch in s, ms, µs or ns, got inf`},
		{`{"type":"request","ts":"2200-01-01T00:00:00Z"}`, "invalid_field", `ts: want a time before the year 2200, got "2200-01-01T00:00:00Z"`},
		{`{"type":"request","ts":0}`, "too_old", `ts: 1970-01-01T00:00:00Z is older than 720h0m0s (max_age)`},
		{`{"type":"request","ts":"2026-10-31T12:00:00Z"}`, "too_old", `ts: 2026-10-31T12:00:00Z is older than 720h0m0s (max_age)`},
		{`{"type":"span"}`, "invalid_field", `name: want the name of the span, got nothing`},
		{`{"type":"span","name":"a","kind":"http"}`, "invalid_field", `kind: want internal, server, client, producer or consumer, got "http"`},
		{`{"type":"span","name":"a","status":"failed"}`, "invalid_field", `status: want unset, ok or error, got "failed"`},
		{`{"type":"span","name":"a","status":true}`, "invalid_field", `status: want unset, ok or error, got true`},
		{`{"type":"event"}`, "invalid_field", `name: want a name, a message or an error, got none of them`},
		{`{"type":"event","name":"a","severity":"loud"}`, "invalid_field", `severity: want trace, debug, info, warn, error or fatal, or a number from 1 to 24, got "loud"`},
		{`{"type":"event","severity":"loud"}`, "invalid_field", `severity: want trace, debug`},
		{`{"type":"event","name":"a","severity":25}`, "invalid_field", `severity: want trace, debug, info, warn, error or fatal, or a number from 1 to 24, got 25`},
		{`{"type":"event","name":"a","message":{}}`, "invalid_field", `message: want a string, got an object`},
		{`{"type":"metric"}`, "unknown_type", `type: want request, span or event, got "metric"`},
		{`{}`, "unknown_type", `type: want request, span or event, got nothing`},
		{`{"type":7}`, "invalid_field", `type: want a string, got 7`},
		{`[]`, "invalid_json", `line: want one JSON object, got an array`},
		{`"request"`, "invalid_json", `line: want one JSON object, got "request"`},
		{`{"type":"request"`, "invalid_json", `line: want one JSON object: byte 18: want ',' or '}', got the end of the line`},
		{`{"type":"request"} {}`, "invalid_json", `line: want one JSON object: byte 20: want nothing behind the object, got "{}"`},
		{`{"type":"request","status":01}`, "invalid_json", `line: want one JSON object: byte 29: want ',' or '}', got "1}"`},
		{`{"type":"request","status":1.}`, "invalid_json", `line: want one JSON object: byte 28: want a number, got "1.}"`},
		{`{"type":"request","status":2e}`, "invalid_json", `line: want one JSON object: byte 28: want a number, got "2e}"`},
		{`{"type":"request","status":+1}`, "invalid_json", `line: want one JSON object: byte 28: want a value, got "+1}"`},
		{`{"type":"request",}`, "invalid_json", `line: want one JSON object: byte 19: want a key in quotes, got "}"`},
		{`{"type":"request" "a":1}`, "invalid_json", `line: want one JSON object: byte 19: want ',' or '}', got "\"a\":1}"`},
		{`{"type":"request","a" 1}`, "invalid_json", `line: want one JSON object: byte 23: want ':', got "1}"`},
		{`{"type":"request","a":tru}`, "invalid_json", `line: want one JSON object: byte 23: want a value, got "tru}"`},
		{`{"type":"request","a":"\`, "invalid_json", `line: want one JSON object: byte 25: want the end of a string, got the end of the line`},
		{"{\"type\":\"request\",\"path\":\"\xff\"}", "invalid_json", `line: want UTF-8`},
		{strings.Repeat("[", 400), "invalid_json", `line: want objects and arrays nested at most 300 deep`},
		{`{"type":"request","attributes":{"a":"[{\"","b":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2002), "invalid_json",
			`line: want objects and arrays nested at most 300 deep`},
		{"[" + strings.Repeat("1,", maxValues) + "1]", "too_many_attributes", `line: want at most 16384 JSON values`},
		{`{"type":"request","attributes":{"a":0` + manyKeys(32) + `}}`, "too_many_attributes", `line: an object of more than 32 keys (max_attributes)`},
		{`{"type":"request","attributes":{"a":{"b":0` + manyKeys(32) + `}}}`, "too_many_attributes", `line: an object of more than 32 keys (max_attributes)`},
		{`{"type":"request","attributes":{"a":0` + manyKeys(20) + `},"correlation":{"a":0` + manyKeys(20) + `}}`, "too_many_attributes",
			`attributes: at most 32 attributes, headers and correlation keys (max_attributes), got 42`},
	}
	d := testDecoder(testLimits)
	for _, tt := range tests {
		t.Run(cut(tt.line, 60), func(t *testing.T) {
			_, lerr := d.decode([]byte(tt.line))
			require.NotNil(t, lerr)
			assert.Equal(t, tt.reason, lerr.reason)
			assert.True(t, strings.HasPrefix(lerr.text, tt.want), "want %q, got %q", tt.want, lerr.text)
			assert.LessOrEqual(t, len(lerr.text), maxErrorBytes)
		})
	}
	assert.Zero(t, d.batch.items(), "rejected lines left items")
	assert.Zero(t, d.batch.traces.SpanCount()+d.batch.logs.LogRecordCount())
	assert.Zero(t, d.batch.traces.ResourceSpans().Len())
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"k` + strconv.Itoa(i) + `":1`)
	}
	return b.String()
}

func TestRejectedLineNamesItsRequest(t *testing.T) {
	d := testDecoder(testLimits)
	id, lerr := d.decode([]byte(`{"type":"request","status":"abc","request_id":"r-82"}`))
	require.NotNil(t, lerr)
	assert.Equal(t, "r-82", id)
	id, lerr = d.decode([]byte(`{"type":"request","status":"abc","request_id":7}`))
	require.NotNil(t, lerr)
	assert.Empty(t, id)
}

func TestNoPipeline(t *testing.T) {
	l := testLimits
	l.logs = false
	d := testDecoder(l)
	_, lerr := d.decode([]byte(`{"type":"event","name":"a"}`))
	require.NotNil(t, lerr)
	assert.Equal(t, reasonNoPipeline, lerr.reason)
	l.logs, l.traces = true, false
	d = testDecoder(l)
	_, lerr = d.decode([]byte(`{"type":"span","name":"a"}`))
	require.NotNil(t, lerr)
	assert.Equal(t, reasonNoPipeline, lerr.reason)
}

func TestTimes(t *testing.T) {
	for ts, want := range map[string]string{
		`"2026-11-30T12:00:00Z"`:                "2026-11-30T12:00:00Z",
		`"2026-11-30T12:00:00.123456789+02:00"`: "2026-11-30T10:00:00.123456789Z",
		`1796040000`:                            "2026-11-30T12:00:00Z",
		`1796040000.5`:                          "2026-11-30T12:00:00.5Z",
		`1796040000123`:                         "2026-11-30T12:00:00.123Z",
		`1796040000123.25`:                      "2026-11-30T12:00:00.12325Z",
		`1796040000123456`:                      "2026-11-30T12:00:00.123456Z",
		`1796040000123456789`:                   "2026-11-30T12:00:00.123456789Z",
		`1.796040000e9`:                         "2026-11-30T12:00:00Z",
		`"2026-12-30T12:00:00Z"`:                "2026-12-30T12:00:00Z", // the exporter clamps what is ahead
	} {
		d := testDecoder(testLimits)
		_, lerr := d.decode([]byte(`{"type":"span","name":"a","ts":` + ts + `}`))
		require.Nil(t, lerr, ts)
		span := d.batch.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		assert.Equal(t, want, span.StartTimestamp().AsTime().Format(time.RFC3339Nano), "ts %s", ts)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	d := testDecoder(testLimits)
	_, lerr := d.decode([]byte(`{"type":"span","name":"a","big":18446744073709551615,"attributes":{"least":-9223372036854775808,"most":9223372036854775807,` +
		`"less":-9223372036854775809,"huge":123456789012345678901234567890,"list":[9223372036854775808],"fraction":0.5,"exponent":1e3,"beyond":1e999}}`))
	require.Nil(t, lerr)
	got := d.batch.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
	delete(got, "trackway.marks")
	assert.Equal(t, map[string]any{
		"big": "18446744073709551615", "least": int64(math.MinInt64), "most": int64(math.MaxInt64),
		"less": "-9223372036854775809", "huge": "123456789012345678901234567890", "list": []any{"9223372036854775808"},
		"fraction": 0.5, "exponent": 1000.0, "beyond": "1e999",
	}, got)
}

func TestLoneSurrogatesStayAsWritten(t *testing.T) {
	d := testDecoder(testLimits)
	_, lerr := d.decode([]byte(`{"type":"span","name":"a \ud800 b \ud83d\ude00"}`))
	require.Nil(t, lerr)
	assert.Equal(t, `a \ud800 b 😀`, d.batch.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Name())
}

func TestBodiesAreCutAtARune(t *testing.T) {
	d := testDecoder(testLimits) // 64 bytes
	long := strings.Repeat("x", 63) + "é" + "tail"
	_, lerr := d.decode([]byte(`{"type":"request","request_body":"` + long + `","response_body":"` + strings.Repeat("y", 64) + `"}`))
	require.Nil(t, lerr)
	attrs := d.batch.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
	assert.Equal(t, strings.Repeat("x", 63), attrs["trackway.request.body"])
	assert.Equal(t, strings.Repeat("y", 64), attrs["trackway.response.body"])
	assert.Equal(t, "ts_absent,truncated", attrs["trackway.marks"])

	_, lerr = d.decode([]byte(`{"type":"event","message":"` + long + `","ts":1796040000}`))
	require.Nil(t, lerr)
	record := d.batch.logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	assert.Equal(t, strings.Repeat("x", 63), record.Body().Str())
	assert.Equal(t, "truncated", record.Attributes().AsRaw()["trackway.marks"])
}

// The texts of items point into what was read of the body, so none of it may be
// written to again: not for lines that come after, nor for those that are skipped.
func TestItemsOutliveTheirLine(t *testing.T) {
	var body strings.Builder
	const items = 1000
	for i := range items {
		body.WriteString(`{"type":"span","name":"n\u00e9` + strconv.Itoa(i) + `","service":"s` + strconv.Itoa(i%3) + `","attributes":{"k\n` + strconv.Itoa(i) + `":"v\t` + strconv.Itoa(i) + `"}}` + "\n")
		if i%100 == 0 {
			body.WriteString(strings.Repeat("x", 500) + "\n")
		}
	}
	d := testDecoder(testLimits)
	lines := newLineReader(iotest.HalfReader(strings.NewReader(body.String())), 300, 700, nil)
	for {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !tooLong {
			_, lerr := d.decode(line)
			require.Nil(t, lerr)
		}
	}
	require.Equal(t, 3, d.batch.traces.ResourceSpans().Len())
	seen := 0
	for i, rs := range d.batch.traces.ResourceSpans().All() {
		assert.Equal(t, map[string]any{"service.name": "s" + strconv.Itoa(i)}, rs.Resource().Attributes().AsRaw())
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			n := strings.TrimPrefix(s.Name(), "né")
			assert.Equal(t, "v\t"+n, s.Attributes().AsRaw()["k\n"+n])
			seen++
		}
	}
	assert.Equal(t, items, seen)
}

// Of keys that are given twice the last counts, and a known field before an
// attribute of its name.
func TestDuplicateKeys(t *testing.T) {
	d := testDecoder(testLimits)
	_, lerr := d.decode([]byte(`{"type":"span","type":"request","status":500,"status":200,"status":null,"x":1,"x":{"a":1,"a":[2]},` +
		`"attributes":{"y":{"z":1},"y":"2","http.route":"/free","x":3},"attributes":{"y":true,"y":2.5,"http.route":"/free"},"route":"/known",` +
		`"error":{"type":"A","type":"B"},"correlation":{"user_id":"1","user_id":2},"ts":1796040000}`))
	require.Nil(t, lerr)
	span := d.batch.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, map[string]any{
		"x": map[string]any{"a": []any{int64(2)}}, "y": 2.5, "http.route": "/known", "correlation.user_id": "2",
		"http.response.status_code": int64(200), "trackway.request.kind": "http",
	}, span.Attributes().AsRaw())
	assert.Equal(t, "B", span.Events().At(0).Attributes().AsRaw()["exception.type"])
}

// Marks and free attributes of one name, and texts of every odd kind.
func TestOddTexts(t *testing.T) {
	d := testDecoder(testLimits)
	_, lerr := d.decode([]byte(`{"type":"span","name":"a","":1,"tab\tnul\u0000":"raw	tab","unknown":"\x\u12\ud83d\u0041\udc00\/","nan":NaN,"inf":-Infinity,"trackway.marks":"own"}`))
	require.Nil(t, lerr)
	assert.Equal(t, map[string]any{
		"": int64(1), "tab\tnul\x00": "raw\ttab", "unknown": `\x\u12\ud83dA\udc00/`, "nan": "NaN", "inf": "-Infinity", "trackway.marks": "own,ts_absent",
	}, d.batch.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw())
}

func TestFieldNames(t *testing.T) {
	for f, name := range fieldNames {
		got, ok := fieldOf(name)
		assert.True(t, ok)
		assert.Equal(t, field(f), got)
		_, ok = fieldOf(name + "x")
		assert.False(t, ok)
	}
	_, ok := fieldOf("")
	assert.False(t, ok)
}
