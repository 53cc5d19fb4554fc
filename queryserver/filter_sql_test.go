package queryserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// awkward are texts on which engines and Go could disagree.
var awkward = []string{
	"", "0", "-0", "1", "1.0", "01", "+1", "100", "99", "1e2", "1e400", "1e-400", "-1e3", "0.1", "0.30000000000000004", "123456789012345678", "123456789012345679",
	"NaN", "inf", "Infinity", "0x10", "1_000", " 1", "1 ", ".5", "5.", "1e", "abc", "ABC", "é", "'", `\`, `\'`, `a\b`, "a\tb", "a\nb", "a\x00b", "{p0:String}", "%", "_",
	"4.35", "2.2250738585072011e-308", "1.7976931348623157e308", "9007199254740993",
}

func awkwardRecord(r *rand.Rand, kind record.Kind, i int) record.Record {
	pick := func() string { return awkward[r.IntN(len(awkward))] }
	rec := record.Record{
		Kind: kind, Project: "default", Time: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(1e9))), RID: uint64(i),
		Service: pick(), Env: pick(), Name: pick(),
		TraceID: [16]byte{byte(r.IntN(3))}, SpanID: [8]byte{byte(r.IntN(3))},
		Attributes:  record.Pairs{{Key: "a", Value: pick()}},
		Correlation: record.Pairs{{Key: "user_id", Value: pick()}},
	}
	if r.IntN(2) == 0 {
		rec.Attributes = append(rec.Attributes, record.Pair{Key: "k" + pick(), Value: pick()})
	}
	// Attributes that a column holds, or could be taken for one that it holds.
	for _, key := range []string{"http.route", "url.path", "url.full", "client.address", "net.peer.ip", "http.response.status_code", "exception.type"} {
		if r.IntN(4) == 0 {
			rec.Attributes = append(rec.Attributes, record.Pair{Key: key, Value: pick()})
		}
	}
	if r.IntN(4) == 0 {
		rec.Resource = append(rec.Resource, record.Pair{Key: "service.name", Value: pick()})
	}
	rec.Marks = []string{"", "", "clamped", "route_derived", "truncated,route_derived"}[r.IntN(5)]
	if kind == record.Event {
		rec.ErrorType = pick()
	} else {
		rec.SpanKind = []string{"http", "http", "rpc"}[r.IntN(3)]
		rec.ClientIP = pick()
	}
	if kind != record.Event {
		rec.Status, rec.Duration, rec.SpanStatus = uint16(100*r.IntN(6)), uint64(r.IntN(5))*500_000, "error"
	} else {
		rec.Severity, rec.Message = uint8(r.IntN(25)), pick()
	}
	if kind == record.Request {
		rec.Route, rec.Method, rec.Path = pick(), "GET", pick()
		rec.RequestHeaders = record.Pairs{{Key: "x", Value: pick()}}
	}
	return rec
}

func randomCondition(r *rand.Rand) string {
	pick := func() string { return quote(awkward[r.IntN(len(awkward))]) }
	ops := []string{"=", "!=", "<", "<=", ">", ">="}
	op := ops[r.IntN(len(ops))]
	numbers := []string{"0", "1", "100", "99.5", "-1", "1e2", "0.1", "0.3", "1e30", "4.35", "123456789012345678", "9007199254740992", "2.2250738585072011e-308"}
	number := numbers[r.IntN(len(numbers))]
	keys := []string{"a", "user_id", "x", "none", "'", `\`}
	key := quote(keys[r.IntN(len(keys))])
	maps := []string{"attributes", "correlation", "request_headers", "resource"}
	promoted := []string{
		"http.route", "url.path", "http.request.method", "client.address", "http.response.status_code", "http.request.body.size", "exception.type", "http.method",
	}
	switch r.IntN(12) {
	case 9, 10:
		literal := pick()
		if r.IntN(2) == 0 {
			literal = number
		}
		return "attributes['" + promoted[r.IntN(len(promoted))] + "'] " + op + " " + literal
	case 11:
		return "resource['service.name'] " + op + " " + pick()
	case 0:
		texts := []string{"service", "env", "route", "name", "message", "path", "type", "span_status"}
		return texts[r.IntN(len(texts))] + " " + op + " " + pick()
	case 1:
		return "status " + op + " " + []string{"200", "499.5", "-1", "100", "70000"}[r.IntN(5)]
	case 2:
		return "duration_ms " + op + " " + []string{"0.5", "1", "1.5", "0.4999", "2ms", "1500µs"}[r.IntN(6)]
	case 3:
		return "severity " + op + " " + number
	case 4:
		return fmt.Sprintf("trace_id %s '%02x%030x'", []string{"=", "!="}[r.IntN(2)], r.IntN(3), 0)
	case 5:
		return "ts " + op + " '2026-11-01T12:00:00.5Z'"
	case 6:
		return maps[r.IntN(len(maps))] + "[" + key + "] " + op + " " + number
	default:
		return maps[r.IntN(len(maps))] + "[" + key + "] " + op + " " + pick()
	}
}

// quote writes a string literal of the language.
func quote(s string) string {
	out := []byte{'\''}
	for i := range len(s) {
		if s[i] == '\'' || s[i] == '\\' {
			out = append(out, '\\')
		}
		out = append(out, s[i])
	}
	return string(append(out, '\''))
}

// What the store answers for a filter is what filter.Match says, on texts and
// numbers picked to find differences.
func TestStoreAgreesWithMatch(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(1, 2))
	paths := map[record.Kind]string{record.Request: "requests", record.Span: "spans", record.Event: "events"}
	byKind := map[record.Kind][]record.Record{}
	for kind := range paths {
		for i := range 400 {
			byKind[kind] = append(byKind[kind], awkwardRecord(r, kind, i))
		}
		s.insert(byKind[kind]...)
	}
	const rounds = 300
	for range rounds {
		text := randomCondition(r)
		for range r.IntN(2) {
			text += " AND " + randomCondition(r)
		}
		expr, err := filter.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		kinds := []record.Kind{record.Request, record.Span, record.Event}
		kind := kinds[r.IntN(len(kinds))]
		var want []string
		for i := range byKind[kind] {
			if expr.Match(&byKind[kind][i]) {
				want = append(want, byKind[kind][i].ID().String())
			}
		}
		status, body := s.get(paths[kind], "filter", text, "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "limit", "1000", "columns", "ts")
		if status != 200 {
			t.Fatalf("%s: %d: %s", text, status, body)
		}
		var got Rows
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, row := range got.Rows {
			ids = append(ids, row.ID)
		}
		slices.Sort(ids)
		slices.Sort(want)
		if !slices.Equal(ids, want) {
			t.Errorf("%ss where %s: the store gives %d, Match %d", kind, text, len(ids), len(want))
		}
	}
}
