package queryserver

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// awkward are texts on which engines and Go could disagree.
var awkward = []string{
	"", "0", "-0", "1", "1.0", "01", "+1", "100", "99", "1e2", "1e400", "1e-400", "-1e3", "0.1", "0.30000000000000004", "123456789012345678", "123456789012345679",
	"NaN", "inf", "Infinity", "0x10", "1_000", " 1", "1 ", ".5", "5.", "1e", "abc", "ABC", "é", "'", `\`, `\'`, `a\b`, "a\tb", "a\nb", "a\x00b", "{p0:String}", "%", "_",
	"4.35", "2.2250738585072011e-308", "1.7976931348623157e308", "9007199254740993", "18446744073709551616", "u_1137", "/projects/:id/tasks", "100%", "a_b", "*",
	"k", "K", "\u212a", "s", "\u017f", "stra\u00dfe", "STRA\u1e9eE", "\u0130", "\u0131", "\u03a3\u03c3\u03c2", "É", "timed out", "Timed Out\n", "a\nb\nc", "aXb", "a\u0130b", "\ufffd",
	"\xff", "a\xffb", "\xff\xfe", "\xe2\x82", "a\xe2\x82b", "\xc3\xa9\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf",
}

func awkwardRecord(r *rand.Rand, kind record.Kind, i int) record.Record {
	pick := func() string { return awkward[r.IntN(len(awkward))] }
	rec := record.Record{
		Kind: kind, Project: "default", Time: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(1e9))), RID: uint64(i),
		Service: pick(), Env: pick(), Name: pick(),
		ErrorGroup: uint64(r.IntN(3)) << 60, ErrorMessage: pick(),
		TraceID: [16]byte{byte(r.IntN(3))}, SpanID: [8]byte{byte(r.IntN(3))},
		Attributes:  record.Pairs{{Key: "a", Value: pick()}},
		Correlation: record.Pairs{{Key: "user_id", Value: pick()}},
	}
	if r.IntN(2) == 0 {
		rec.Attributes = append(rec.Attributes, record.Pair{Key: "k" + pick(), Value: pick()})
	}
	if r.IntN(2) == 0 {
		rec.Attributes = append(rec.Attributes, record.Pair{Key: "user_id", Value: pick()})
	}
	if r.IntN(2) == 0 {
		rec.Correlation = append(rec.Correlation, record.Pair{Key: "a", Value: pick()})
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
		rec.RequestBytes = []uint64{0, 1, 1000, 1 << 20, math.MaxUint64}[r.IntN(5)]
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

const (
	sqlRecords = 250 // of each kind
	sqlBatches = 12  // of each kind
	sqlFilters = 60  // in one statement
)

// What the store answers for a filter is what filter.Match says, on filters, texts
// and numbers picked to find differences. TRACKWAY_TEST_SEED makes others.
func TestStoreAgreesWithMatch(t *testing.T) {
	s := newTestStore(t)
	seed, _ := strconv.ParseUint(os.Getenv("TRACKWAY_TEST_SEED"), 10, 64)
	r := rand.New(rand.NewPCG(1, seed))
	for _, kind := range []record.Kind{record.Request, record.Span, record.Event} {
		records := map[uint64]*record.Record{}
		var all []record.Record
		for i := range sqlRecords {
			all = append(all, awkwardRecord(r, kind, i))
		}
		for i := range all {
			records[all[i].RID] = &all[i]
		}
		s.insert(all...)
		for range sqlBatches {
			var filters []*filter.Expr
			for range sqlFilters {
				filters = append(filters, randomFilter(t, r))
			}
			agree(t, s, kind, filters, records)
		}
	}
}

// agree asks the store about many filters in one statement.
func agree(t *testing.T, s *testStore, kind record.Kind, filters []*filter.Expr, records map[uint64]*record.Record) {
	t.Helper()
	p := newParams("default")
	answers := make([]string, len(filters))
	for i, f := range filters {
		answers[i] = "toString(" + strings.TrimPrefix(compileWhere([]filter.Node{f.Root}, kind, p), "\n  AND ") + ")"
	}
	q := clickhouse.Query{Name: "test", Params: p.values, Settings: map[string]string{"precise_float_parsing": "1"}, SQL: "SELECT rid, concat(" + strings.Join(answers, ", ") + ") FROM " + table(kind) + " WHERE project = {project:String}"}
	seen := 0
	_, err := s.client.Select(t.Context(), q, func(row *clickhouse.Reader) {
		rec := records[row.Uint64()]
		got := row.String()
		seen++
		for i, f := range filters {
			if want := constant(f.Match(rec)); i >= len(got) || got[i:i+1] != want {
				t.Errorf("%s where %s: the store says %c, Match %s, of\n%+v", kind, f, got[i], want, rec)
			}
		}
	})
	if err != nil {
		for _, f := range filters {
			t.Log(f)
		}
		t.Fatal(err)
	}
	if seen != len(records) {
		t.Fatalf("the store has %d records of %d", seen, len(records))
	}
}
