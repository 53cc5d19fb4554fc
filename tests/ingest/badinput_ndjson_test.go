package ingest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

const (
	ok      = http.StatusOK
	bad     = http.StatusBadRequest
	tooBig  = http.StatusRequestEntityTooLarge
	badType = http.StatusUnsupportedMediaType
)

// badItem is a case of a single line.
func badItem(name, line string, wants ...string) badCase {
	return ndjson(name, bad, append(wants, `"line":1`, `"rejected":1`), text(line+"\n"))
}

// oddItem is a case of a single line that is odd, but taken.
func oddItem(name, line string, wants ...string) badCase {
	return ndjson(name, ok, append(wants, `"accepted":1,"rejected":0`), text(line+"\n"))
}

// ndjsonLines are lines that are wrong in themselves.
func ndjsonLines() []badCase {
	span := func(fields string) string { return `{"type":"span","name":"odd","service":"odd",` + fields + `}` }
	return []badCase{
		badItem("year 1969", span(`"ts":"1969-07-20T20:17:40Z"`), "ts: 1969-07-20T20:17:40Z is older than 720h0m0s (max_age)"),
		badItem("year 2200", span(`"ts":"2200-01-01T00:00:00Z"`), "ts: want a time before the year 2200"),
		badItem("negative epoch", span(`"ts":-1`), "ts: want RFC 3339 or an epoch"),
		badItem("the 30th of February", span(`"ts":"2026-02-30T00:00:00Z"`), "ts: want RFC 3339"),
		badItem("10,000 attributes", span(`"attributes":{`+strings.TrimSuffix(many(10_000), ",")+`}`), "(max_attributes)"),
		badItem("10,000 fields", `{`+many(10_000)+`"type":"span"}`, "(max_attributes)"),
		badItem("10 MB line", span(`"x":"`+strings.Repeat("x", 10<<20)+`"`), "line: longer than 1048576 bytes (max_line_bytes)"),
		badItem("20,000 values", span(`"x":[`+strings.Repeat("1,", 20_000)+`1]`), "line: want at most 16384 JSON values"),
		badItem("arrays 10,000 deep", span(`"x":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), "nested at most 300 deep"),
		badItem("objects 10,000 deep", span(`"x":`+strings.Repeat(`{"a":`, 10_000)+"1"+strings.Repeat("}", 10_000)), "nested at most 300 deep"),
		badItem("NaN for a duration", span(`"duration_ms":NaN`), "duration_ms: want a number of milliseconds from 0 to", "got NaN"),
		badItem("1e400 for a duration", span(`"duration_ms":1e400`), "duration_ms: want", "got 1e400"),
		badItem("negative duration", span(`"duration_ms":-5`), "duration_ms: want a number of milliseconds from 0"),
		badItem("infinity for a status", `{"type":"request","status":Infinity}`, "status: want an integer, got Infinity"),
		badItem("trace id of wrong length", span(`"trace_id":"abc"`), "trace_id: want 32 hex digits"),
		badItem("trace id of 31 digits", span(`"trace_id":"`+strings.Repeat("a", 31)+`"`), "trace_id: want 32 hex digits"),
		badItem("span id that is no hex", span(`"span_id":"zzzzzzzzzzzzzzzz"`), "span_id: want 16 hex digits"),
		badItem("unknown type", `{"type":"metric"}`, "type: want request, span or event"),
		badItem("no type", `{}`, "type: want request, span or event, got nothing"),
		badItem("array for an item", `[{"type":"span","name":"a"}]`, "want one JSON object, got an array"),
		badItem("two items on a line", span(`"a":1`)+span(`"a":1`), "want nothing behind the object"),
		badItem("cut JSON", `{"type":"span","name":"a`, "want the end of a string"),
		badItem("number with a leading zero", span(`"x":007`), "want ',' or '}'"),
		badItem("single quotes", `{'type':'span'}`, "want a key in quotes"),
		badItem("NUL bytes between tokens", "{\"type\":\"span\",\x00\"name\":\"a\"}", "want a key in quotes"),
		badItem("correlation of objects", span(`"correlation":{"order":{"id":1}}`), "correlation.order: want a string, number or boolean"),
		badItem("wrong type with a request id", `{"type":"request","status":"abc","request_id":"r-82"}`, `"request_id":"r-82"`),
		oddItem("NaN and 1e400 as attributes", span(`"attributes":{"a":NaN,"b":1e400,"c":-Infinity,"d":123456789012345678901234567890}`)),
		oddItem("duplicate keys", span(`"service":"odd2","attributes":{"a":1,"a":2},"attributes":{"b":{"c":1,"c":2}}`)),
		oddItem("lone surrogate", span(`"attributes":{"\ud800":"\udc00 \ud83d\ude00"}`)),
		oddItem("zero ids", span(`"trace_id":"00000000000000000000000000000000","span_id":"0000000000000000"`)),
		oddItem("NUL bytes in a string", span(`"attributes":{"a":"b\u0000c","d`+"\x00"+`":"e`+"\x00"+`"}`)),
		oddItem("empty keys", span(`"":1,"attributes":{"":""},"correlation":{"":"x"}`)),
		oddItem("epoch with an exponent", span(fmt.Sprintf(`"ts":%.6e`, float64(time.Now().Unix())))),
		{name: "NDJSON invalid UTF-8 in every string", want: ok, wants: []string{`"accepted":1,`}, send: invalidUTF8},
		{name: "NDJSON wrong type in every field", want: ok, wants: []string{`"accepted":1,`}, send: wrongTypes},
	}
}

// many gives n members of an object, each with a comma.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return b.String()
}

const everyField = `{"type":"request","ts":"T","service":"a","env":"a","release":"a","instance":"a","name":"a","kind":"http","method":"a","route":"a","path":"a",` +
	`"trace_id":"","span_id":"","parent_span_id":"","trace_state":"a","request_id":"a","user_agent":"a","client_ip":"a","request_headers":{"a":"a"},` +
	`"response_headers":{"a":"a"},"request_body":"a","response_body":"a","attributes":{"a":"a","b":["a"]},"correlation":{"a":"a"},"error":{"type":"a","message":"a","stack":"a"},"x":"a"}`

// invalidUTF8 puts a byte that is none into each string of a line in turn, keys too;
// all are rejected, and a good line among them is kept.
func invalidUTF8(t *testing.T, stack *harness.Stack) (int, string) {
	var body bytes.Buffer
	lines := 0
	for i := range everyField {
		if everyField[i] == '"' && i+1 < len(everyField) {
			body.WriteString(everyField[:i+1] + "\xff" + everyField[i+1:] + "\n")
			lines++
		}
	}
	body.WriteString(`{"type":"span","name":"odd","service":"odd"}`)
	status, answer := request(t, http.MethodPost, stack.NDJSON+"/v1/ingest", body.Bytes())
	assert.Contains(t, answer, fmt.Sprintf(`"accepted":1,"rejected":%d`, lines))
	assert.Contains(t, answer, "line: want UTF-8")
	return status, answer
}

// wrongTypes gives each field a value of a type it does not take; each error names
// its field.
func wrongTypes(t *testing.T, stack *harness.Stack) (int, string) {
	wrong := [][2]string{
		{"ts", "true"}, {"service", "1"}, {"env", "[]"}, {"release", "{}"}, {"instance", "1"}, {"name", "1"}, {"kind", "1"}, {"method", "1"}, {"route", "[]"},
		{"path", "1"}, {"status", `"200"`}, {"duration_ms", `"1"`}, {"trace_id", "1"}, {"span_id", "1"}, {"parent_span_id", "1"}, {"trace_state", "1"},
		{"request_id", "1"}, {"user_agent", "1"}, {"client_ip", "1"}, {"request_bytes", `"1"`}, {"response_bytes", "1.5"}, {"request_headers", `"a"`},
		{"response_headers", "[]"}, {"attributes", "1"}, {"correlation", `"a"`}, {"error", "1"},
	}
	var body strings.Builder
	for _, w := range wrong {
		body.WriteString(`{"type":"request","` + w[0] + `":` + w[1] + "}\n")
	}
	body.WriteString(`{"type":"event","name":"a","severity":"loud"}` + "\n" + `{"type":"event","message":[]}` + "\n" + `{"type":"span","name":"odd","service":"odd"}`)
	status, answer := request(t, http.MethodPost, stack.NDJSON+"/v1/ingest", []byte(body.String()))
	for i, w := range append(wrong, [2]string{"severity"}, [2]string{"message"}) {
		assert.Contains(t, answer, fmt.Sprintf(`{"line":%d,"error":"%s: want`, i+1, w[0]))
	}
	return status, answer
}

// ndjsonBodies are bodies that are wrong as a whole, or in their headers.
func ndjsonBodies() []badCase {
	item := `{"type":"span","name":"odd","service":"odd"}` + "\n"
	bomb := func(encoding string) func(t *testing.T) []byte {
		return func(t *testing.T) []byte { return compress(t, encoding, bytes.Repeat([]byte(" "), 500<<20)) }
	}
	zipped := func(t *testing.T) []byte { return compress(t, "gzip", []byte(strings.Repeat(item, 100))) }
	return []badCase{
		ndjson("zip bomb, gzip", tooBig, []string{"max_request_bytes", "20971520"}, bomb("gzip"), "Content-Encoding", "gzip"),
		ndjson("zip bomb, zstd", tooBig, []string{"max_request_bytes"}, bomb("zstd"), "Content-Encoding", "zstd"),
		ndjson("30 MB plain", tooBig, []string{"max_request_bytes"}, text(strings.Repeat(" ", 30<<20))),
		ndjson("empty body", bad, []string{"no items in the body: want one JSON object a line"}, text("")),
		ndjson("only newlines", bad, []string{"no items in the body"}, text(strings.Repeat("\r\n", 1000))),
		ndjson("CRLF", ok, []string{`"accepted":2,"rejected":0`}, text(strings.ReplaceAll(item+item, "\n", "\r\n"))),
		ndjson("byte order mark", ok, []string{`"accepted":1,"rejected":0`}, text("\ufeff"+item)),
		ndjson("no newline at the end", ok, []string{`"accepted":1,"rejected":0`}, text(strings.TrimSpace(item))),
		ndjson("pretty-printed JSON", bad, []string{`"line":1`}, text("{\n  \"type\": \"span\",\n  \"name\": \"a\"\n}\n")),
		ndjson("UTF-16", bad, []string{`"line":1`}, text("{\x00\"\x00t\x00y\x00p\x00e\x00\"\x00")),
		ndjson("100,000 tiny lines", bad, []string{`"rejected":100000`}, text(strings.Repeat("{}\n", 100_000))),
		ndjson("100,001 lines", tooBig, []string{"max_items"}, text(strings.Repeat("{}\n", 100_001))),
		ndjson("cut gzip", bad, []string{"reading the body"}, func(t *testing.T) []byte { return zipped(t)[:40] }, "Content-Encoding", "gzip"),
		ndjson("gzip that is none", bad, []string{"gzip"}, text(item), "Content-Encoding", "gzip"),
		ndjson("gzip that is not declared", bad, []string{"line: want"}, zipped),
		ndjson("unknown encoding", badType, []string{"want gzip, zstd or identity"}, text(item), "Content-Encoding", "br"),
		ndjson("wrong content type", badType, []string{"want application/x-ndjson"}, text(item), "Content-Type", "application/xml"),
		ndjson("wrong charset", badType, []string{"want utf-8"}, text(item), "Content-Type", "application/json; charset=utf-16"),
		ndjson("batch id too long", bad, []string{"Trackway-Batch-Id: want at most 128 bytes, got 129"}, text(item), "Trackway-Batch-Id", strings.Repeat("b", 129)),
		ndjson("headers of 2 MB", http.StatusRequestHeaderFieldsTooLarge, nil, text(item), "X-Huge", strings.Repeat("h", 2<<20)),
		ndjson("foreign host name", http.StatusForbidden, []string{"Origin"}, text(item), "Origin", "https://evil.example"),
		{name: "NDJSON 101 days in one batch", want: ok, wants: []string{`"accepted":30,"rejected":71`, "max_age"}, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			var body strings.Builder
			now := time.Now().Add(-time.Minute)
			for day := range 101 {
				body.WriteString(line(t, "type", "request", "service", "days", "status", 200, "ts", stamp(now.Add(-time.Duration(day)*24*time.Hour))))
			}
			return request(t, http.MethodPost, stack.NDJSON+"/v1/ingest", []byte(body.String()))
		}},
		{name: "NDJSON epochs in every unit", want: ok, wants: []string{`"accepted":5,"rejected":0`}, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			at := time.Now().Add(-time.Minute)
			var body strings.Builder
			for _, ts := range []any{at.Unix(), at.UnixMilli(), at.UnixMicro(), at.UnixNano(), float64(at.UnixMilli()) / 1000} {
				body.WriteString(line(t, "type", "span", "name", "odd", "service", "epochs", "ts", ts))
			}
			status, answer := request(t, http.MethodPost, stack.NDJSON+"/v1/ingest", []byte(body.String()))
			require.Eventually(t, func() bool {
				got, err := stack.ClickHouse.TryQuery(t.Context(), fmt.Sprintf(
					"SELECT count() FROM trackway.spans WHERE service = 'epochs' AND toUnixTimestamp64Nano(ts) BETWEEN %d AND %d", at.Truncate(time.Second).UnixNano(), at.UnixNano()))
				return err == nil && got == "5"
			}, arrival, 100*time.Millisecond)
			return status, answer
		}},
		{name: "NDJSON one million distinct routes", want: ok, wants: []string{"all taken"}, send: millionRoutes},
		{name: "NDJSON GET", want: http.StatusMethodNotAllowed, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			return request(t, http.MethodGet, stack.NDJSON+"/v1/ingest", nil)
		}},
		{name: "NDJSON to a wrong path", want: http.StatusNotFound, send: func(t *testing.T, stack *harness.Stack) (int, string) {
			return request(t, http.MethodPost, stack.NDJSON+"/v1/ingests", []byte(item))
		}},
	}
}

// maxRoutes is how many routes a project and service may have in the store, with
// room for what arrives at once.
const maxRoutes = 5000

// millionRoutes sends a million requests, each with a route of its own that no
// template covers. They are stored, but not as a million routes.
func millionRoutes(t *testing.T, stack *harness.Stack) (int, string) {
	const bodies, lines = 20, 50_000
	sender := goodSender{}
	n := 0
	for range bodies {
		var body strings.Builder
		for range lines {
			word := ""
			for rest := n; rest > 0 || word == ""; rest /= 26 {
				word += string(rune('a' + rest%26))
			}
			body.WriteString(`{"type":"request","service":"routes","method":"GET","status":200,"route":"/word-` + word + "\"}\n")
			n++
		}
		if err := sender.send(stack.NDJSON+"/v1/ingest", body.String()); err != nil {
			return 0, err.Error()
		}
	}
	require.EqualValues(t, bodies*lines, sender.accepted.Load())
	require.Eventually(t, func() bool {
		got, err := stack.ClickHouse.TryQuery(t.Context(), "SELECT count() FROM trackway.requests WHERE service = 'routes'")
		return err == nil && got == fmt.Sprint(bodies*lines)
	}, 4*arrival, 500*time.Millisecond, "all are stored")
	assert.Equal(t, "1", stack.ClickHouse.Query(t, fmt.Sprintf("SELECT uniqExact(route) <= %d AND countIf(route = '(other)') > 0 FROM trackway.requests WHERE service = 'routes'", maxRoutes)))
	return ok, "all taken"
}
