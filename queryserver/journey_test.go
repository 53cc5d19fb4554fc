package queryserver

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// journeyRecords are records of all kinds in traces, some of which carry a key.
func journeyRecords(r *rand.Rand, n int) []record.Record {
	var all []record.Record
	for i := range n {
		rec := record.Record{
			Kind: anyKind[r.IntN(3)], Project: "default", RID: uint64(i + 1), Service: fmt.Sprint("svc", r.IntN(3)), Name: "work",
			Time: figuresStart.Add(time.Duration(r.IntN(1500)) * time.Second), // many share a nanosecond
		}
		if rec.Kind == record.Request {
			rec.Method, rec.Route, rec.Status, rec.Duration = "GET", "/r", 200, 1e6
		}
		if trace := r.IntN(60); trace > 5 {
			rec.TraceID = [16]byte{1, byte(trace)}
		}
		if r.IntN(4) == 0 {
			rec.Correlation = append(rec.Correlation, record.Pair{Key: "order_id", Value: fmt.Sprint("o_", r.IntN(2))})
		}
		if r.IntN(3) == 0 {
			rec.Correlation = append(rec.Correlation, record.Pair{Key: "user_id", Value: fmt.Sprint("u_", r.IntN(5))})
		}
		all = append(all, rec)
	}
	return all
}

func carries(rec *record.Record) bool {
	v, ok := rec.Correlation.Get("order_id")
	return ok && v == "o_1"
}

// A journey has every record of the key once, in both orders and over pages of any
// length, and beside them what else is in their traces, once.
func TestJourneyPages(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(17, 4))
	all := journeyRecords(r, 1200)
	s.insert(all...)
	var direct, linked []string
	traces := map[[16]byte]bool{}
	for i := range all {
		if rec := &all[i]; carries(rec) {
			direct = append(direct, rec.ID().String())
			traces[rec.TraceID] = true
		}
	}
	for i := range all {
		if rec := &all[i]; !carries(rec) && rec.TraceID != [16]byte{} && traces[rec.TraceID] {
			linked = append(linked, rec.ID().String())
		}
	}
	slices.Sort(direct)
	slices.Sort(linked)
	if len(direct) < 100 || len(linked) < 100 || len(linked) > maxLinked {
		t.Fatalf("a poor sample: %d direct, %d linked", len(direct), len(linked))
	}
	window := []string{"from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "linked", "true"}
	for _, order := range []string{"asc", "desc"} {
		for _, limit := range []int{7, 50} {
			t.Run(fmt.Sprint(order, " ", limit), func(t *testing.T) {
				var rows, besides []string
				cursor := ""
				for page := 0; ; page++ {
					got := decodeAnswer[Journey](t, s, "journeys/order_id/o_1", append(window, "order", order, "limit", fmt.Sprint(limit), "cursor", cursor)...)
					for _, row := range got.Rows {
						rows = append(rows, row.ID)
					}
					for _, row := range got.Linked.Rows {
						besides = append(besides, row.ID)
					}
					if got.Linked.Truncated {
						t.Error("a page was truncated")
					}
					if page == 0 {
						checkJourneySummary(t, got.Summary, all)
					} else if got.Summary != nil {
						t.Error("a summary on a later page")
					}
					if cursor = got.NextCursor; cursor == "" {
						break
					}
				}
				if order == "desc" {
					slices.Reverse(rows)
				}
				slices.Sort(besides)
				if !slices.Equal(rows, direct) || !slices.Equal(besides, linked) {
					t.Errorf("%d rows and %d linked, want %d and %d", len(rows), len(besides), len(direct), len(linked))
				}
			})
		}
	}
}

func checkJourneySummary(t *testing.T, got *JourneySummary, all []record.Record) {
	t.Helper()
	if got == nil {
		t.Fatal("no summary on the first page")
	}
	kinds, services := map[string]uint64{}, map[string]uint64{}
	var n uint64
	var first, last time.Time
	for i := range all {
		if rec := &all[i]; carries(rec) {
			n++
			kinds[rec.Kind.String()]++
			services[rec.Service]++
			if first.IsZero() || rec.Time.Before(first) {
				first = rec.Time
			}
			last = later(last, rec.Time)
		}
	}
	if got.Count != n || !got.First.Equal(first) || !got.Last.Equal(last) || len(got.Kinds) != 3 || len(got.Services) != 3 {
		t.Errorf("%+v, want %d from %s to %s", got, n, first, last)
	}
	for _, c := range got.Kinds {
		if kinds[c.Name] != c.Count {
			t.Errorf("%+v, want %v", got.Kinds, kinds)
		}
	}
	for _, c := range got.Services {
		if services[c.Name] != c.Count {
			t.Errorf("%+v, want %v", got.Services, services)
		}
	}
}

// Pivots are the other keys on the records, and on the others of their traces.
func TestJourneyPivots(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(17, 5))
	all := journeyRecords(r, 1500)
	s.insert(all...)
	traces := map[[16]byte]bool{}
	direct := 0
	for i := range all {
		if carries(&all[i]) {
			direct++
			traces[all[i].TraceID] = true
		}
	}
	delete(traces, [16]byte{})
	want := map[string]*Pivot{}
	for i := range all {
		on, in := carries(&all[i]), traces[all[i].TraceID]
		for _, p := range all[i].Correlation {
			if !on && !in || p.Key == "order_id" && p.Value == "o_1" {
				continue
			}
			pivot := want[p.Key+"="+p.Value]
			if pivot == nil {
				pivot = &Pivot{}
				want[p.Key+"="+p.Value] = pivot
			}
			if on {
				pivot.Count++
			} else {
				pivot.Linked++
			}
		}
	}
	got := decodeAnswer[Pivots](t, s, "journeys/order_id/o_1/pivots", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "records", "1000")
	if got.Records != direct || got.Sampled || len(got.Pivots) != len(want) {
		t.Fatalf("%d pivots of %d records, want %d of %d", len(got.Pivots), got.Records, len(want), direct)
	}
	for _, p := range got.Pivots {
		if w := want[p.Key+"="+p.Value]; w == nil || w.Count != p.Count || w.Linked != p.Linked {
			t.Errorf("%+v, want %+v", p, w)
		}
	}
	if !slices.IsSortedFunc(got.Pivots, func(a, b Pivot) int { return int(b.Count+b.Linked) - int(a.Count+a.Linked) }) {
		t.Error("not in order")
	}
	few := decodeAnswer[Pivots](t, s, "journeys/order_id/o_1/pivots", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "records", "3", "limit", "1")
	if few.Records != 3 || !few.Sampled || len(few.Pivots) > 1 {
		t.Errorf("%+v", few)
	}
	lone := traceRecord(record.Request, 9001, 0, "web", 0, 0)
	lone.TraceID = [16]byte{}
	lone.Correlation = record.Pairs{{Key: "order_id", Value: "lone"}, {Key: "user_id", Value: "u_1"}}
	s.insert(lone)
	if got := decodeAnswer[Pivots](t, s, "journeys/order_id/lone/pivots", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z"); len(got.Pivots) != 1 || got.Pivots[0].Count != 1 || got.Pivots[0].Linked != 0 {
		t.Errorf("a record without a trace: %+v", got)
	}
	none := decodeAnswer[Pivots](t, s, "journeys/order_id/it's%20none/pivots")
	if none.Records != 0 || none.Pivots == nil {
		t.Errorf("%+v", none)
	}
}

func TestJourneyRowsNameTheirTrace(t *testing.T) {
	s := newTestStore(t)
	rec := traceRecord(record.Request, 1, 0, "web", 0, time.Second)
	rec.Correlation = record.Pairs{{Key: "order_id", Value: "o/1 ä"}}
	s.insert(rec)
	got := decodeAnswer[Journey](t, s, "journeys/order_id/o%2F1%20%C3%A4", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z")
	if len(got.Rows) != 1 || got.Rows[0].TraceID != hex.EncodeToString(rec.TraceID[:]) || got.Summary.Count != 1 || got.Linked != nil {
		t.Errorf("%+v", got)
	}
	for _, query := range [][]string{{"order", "up"}, {"limit", "0"}, {"limit", "10001"}, {"cursor", "x"}, {"linked", "maybe"}, {"from", "x"}} {
		if status, body := s.get("journeys/a/b", query...); status != http.StatusBadRequest || !strings.Contains(string(body), query[0]) {
			t.Errorf("%v: %d: %s", query, status, body)
		}
	}
}
