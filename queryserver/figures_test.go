package queryserver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

var figuresStart = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)

// figuresSpan is long enough for whole hours with edges on both sides.
const figuresSpan = 7 * time.Hour

// someRequests are requests with everything that figures are made of.
func someRequests(r *rand.Rand, n int) []record.Record {
	var all []record.Record
	for i := range n {
		rec := record.Record{
			Kind: record.Request, Project: "default", RID: uint64(i + 1), Time: figuresStart.Add(time.Duration(r.Int64N(int64(figuresSpan)))),
			SpanKind: "http", Service: fmt.Sprint("svc", r.IntN(3)), Route: fmt.Sprint("/r", r.IntN(5)), Method: []string{"GET", "POST"}[r.IntN(2)],
			Env: []string{"prod", "test"}[r.IntN(2)], Status: []uint16{0, 200, 200, 200, 404, 500, 503}[r.IntN(7)],
			Duration: uint64(r.ExpFloat64() * 1e8), RequestBytes: uint64(r.IntN(1000)), ResponseBytes: uint64(r.IntN(1000)),
			Weight: []uint32{256, 256, 1024, 300}[r.IntN(4)],
		}
		if plan := []string{"free", "pro", "", "none"}[r.IntN(4)]; plan != "none" {
			rec.Attributes = append(rec.Attributes, record.Pair{Key: "plan", Value: plan})
			rec.FacetItems = append(rec.FacetItems, "plan="+plan)
		}
		rec.Attributes = append(rec.Attributes, record.Pair{Key: "free", Value: fmt.Sprint(r.IntN(4))})
		rec.Correlation = record.Pairs{{Key: "account_id", Value: fmt.Sprint("acc_", r.IntN(6))}}
		all = append(all, rec)
	}
	return all
}

func within(all []record.Record, from, to time.Time, also func(*record.Record) bool) []record.Record {
	var out []record.Record
	for i := range all {
		if rec := &all[i]; !rec.Time.Before(from) && rec.Time.Before(to) && (also == nil || also(rec)) {
			out = append(out, *rec)
		}
	}
	return out
}

// valueOf is what a field of a request is, and whether it has one.
func valueOf(rec *record.Record, field string) (string, bool) {
	switch field {
	case "service":
		return rec.Service, true
	case "route":
		return rec.Route, true
	case "env":
		return rec.Env, true
	case "status":
		return fmt.Sprint(rec.Status), true
	case "status_class":
		if rec.Status == 0 {
			return "none", true
		}
		return fmt.Sprint(rec.Status/100, "xx"), true
	case "correlation['account_id']":
		return rec.Correlation.Get("account_id")
	}
	key := strings.TrimSuffix(strings.TrimPrefix(field, "attributes['"), "']")
	return rec.Attribute(key)
}

var figureFilters = []struct {
	text string
	also func(*record.Record) bool
}{
	{"", nil},
	{"status >= 500", func(r *record.Record) bool { return r.Status >= 500 }},
	{"service = 'svc1' AND method != 'GET'", func(r *record.Record) bool { return r.Service == "svc1" && r.Method != http.MethodGet }},
	{"duration_ms > 100", func(r *record.Record) bool { return r.Duration > 100e6 }},
	{"attributes['plan'] = 'pro'", func(r *record.Record) bool { v, _ := r.Attribute("plan"); return v == "pro" }},
}

// randomWindow is a window that may lie partly outside of what is stored.
func randomWindow(r *rand.Rand) (from, to time.Time) {
	from = figuresStart.Add(time.Duration(r.Int64N(int64(figuresSpan)))).Add(-time.Hour)
	return from, from.Add(time.Duration(1 + r.Int64N(int64(figuresSpan))))
}

// Facets and groups are what counting the records by hand gives, from whichever
// table they come.
func TestFacetsAndGroupsCount(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(17, 1))
	all := someRequests(r, 3000)
	s.insert(all...)
	fields := []string{"service", "status", "status_class", "env", "attributes['plan']", "attributes['free']", "correlation['account_id']"}
	for i := range 25 {
		from, to := randomWindow(r)
		if i == 0 {
			from, to = figuresStart.Add(-time.Hour), figuresStart.Add(figuresSpan)
		}
		f := figureFilters[i%len(figureFilters)]
		args := []string{"from", from.Format(time.RFC3339Nano), "to", to.Format(time.RFC3339Nano), "filter", f.text}
		t.Run(fmt.Sprint("facets ", i), func(t *testing.T) {
			got := decodeAnswer[Facets](t, s, "facets", append(args, "fields", strings.Join(fields, ","), "limit", "3")...)
			checkFacets(t, got, within(all, from, to, f.also), fields)
		})
		t.Run(fmt.Sprint("groups ", i), func(t *testing.T) {
			by := [][]string{{"route"}, {"service", "route"}, {"status"}, {"env", "attributes['plan']"}}[r.IntN(4)]
			metrics := []string{"count,errors,bytes,error_rate,rps", "count,errors,p50,p90,p99,bytes"}[r.IntN(2)]
			got := decodeAnswer[Groups](t, s, "groups", append(args, "by", strings.Join(by, ","), "metrics", metrics, "compare", "previous")...)
			checkGroups(t, got, within(all, from, to, f.also), within(all, from.Add(-to.Sub(from)), from, f.also), by)
		})
	}
	if got := decodeAnswer[Facets](t, s, "facets", "from", "2026-11-01T03:00:00Z", "to", "2026-11-01T09:00:00Z", "fields", "status,attributes.plan,env"); got.Facets[0].Source != "cnt_h" || got.Facets[1].Source != "facets" || got.Facets[2].Source != "requests" {
		t.Errorf("sources of whole hours: %+v", got.Facets)
	}
	if got := decodeAnswer[Facets](t, s, "facets", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "fields", "route,correlation.account_id,attributes.plan", "prefix", "acc_"); len(got.Facets[0].Values) != 0 || len(got.Facets[1].Values) != 6 || len(got.Facets[2].Values) != 0 {
		t.Errorf("prefix acc_: %+v", got.Facets)
	}
}

func checkFacets(t *testing.T, got Facets, records []record.Record, fields []string) {
	t.Helper()
	if got.Sample != nil || len(got.Facets) != len(fields) {
		t.Fatalf("%+v", got)
	}
	for i, field := range fields {
		counts, weights := map[string]uint64{}, map[string]float64{}
		var all uint64
		for j := range records {
			if v, ok := valueOf(&records[j], field); ok {
				counts[v]++
				weights[v] += float64(records[j].Weight) / 256
				all++
			}
		}
		want := make([]FacetValue, 0, len(counts))
		for v, n := range counts {
			value := FacetValue{Value: v, Count: n}
			if weights[v] != float64(n) && got.Facets[i].Source != "journey" {
				value.Weighted = weights[v]
			}
			want = append(want, value)
		}
		slices.SortFunc(want, func(a, b FacetValue) int {
			if a.Count != b.Count {
				return int(b.Count) - int(a.Count)
			}
			return strings.Compare(a.Value, b.Value)
		})
		f := got.Facets[i]
		if f.Field != field || f.Distinct != uint64(len(want)) || f.Count != all || !reflect.DeepEqual(f.Values, want[:min(3, len(want))]) {
			t.Errorf("%s from %s:\n got %+v\nwant %d, %d, %v", field, f.Source, f, len(want), all, want)
		}
	}
}

func checkGroups(t *testing.T, got Groups, now, before []record.Record, by []string) {
	t.Helper()
	key := func(rec *record.Record) string {
		var parts []string
		for _, f := range by {
			v, _ := valueOf(rec, f)
			parts = append(parts, v)
		}
		return strings.Join(parts, "|")
	}
	sums := func(records []record.Record) map[string]*groupSums {
		m := map[string]*groupSums{}
		for i := range records {
			rec := &records[i]
			g := m[key(rec)]
			if g == nil {
				g = &groupSums{}
				m[key(rec)] = g
			}
			g.count++
			g.weight += uint64(rec.Weight)
			g.bytes += rec.RequestBytes + rec.ResponseBytes
			if rec.Status >= 500 {
				g.errors++
			}
			b := schema.Bucket(rec.Duration)
			at := slices.IndexFunc(g.latencies, func(c latencyCount) bool { return c.bucket == b })
			if at < 0 {
				g.latencies = append(g.latencies, latencyCount{bucket: b})
				at = len(g.latencies) - 1
			}
			g.latencies[at].count++
		}
		for _, g := range m {
			slices.SortFunc(g.latencies, func(a, b latencyCount) int { return int(a.bucket) - int(b.bucket) })
		}
		return m
	}
	current, previous := sums(now), sums(before)
	for k := range previous {
		if current[k] == nil {
			current[k] = &groupSums{}
		}
	}
	if len(got.Groups) != len(current) || got.Total != len(current) || got.Truncated {
		t.Fatalf("%d groups of %d from %s, want %d", len(got.Groups), got.Total, got.Source, len(current))
	}
	last := uint64(math.MaxUint64)
	for _, g := range got.Groups {
		if g.Count > last {
			t.Errorf("%v comes after one with %d", g, last)
		}
		last = g.Count
		k := strings.Join(g.Key, "|")
		checkFigures(t, k+" from "+got.Source, &g.GroupFigures, current[k])
		if want := previous[k]; (want == nil) != (g.Previous == nil) {
			t.Errorf("%s before: %v, want %v", k, g.Previous, want)
		} else if want != nil {
			checkFigures(t, k+" before", g.Previous, want)
		}
	}
}

func checkFigures(t *testing.T, name string, got *GroupFigures, want *groupSums) {
	t.Helper()
	if want == nil {
		t.Errorf("%s: there is no such group", name)
		return
	}
	if got.Count != want.count || got.Errors == nil || *got.Errors != want.errors || got.Bytes == nil || *got.Bytes != want.bytes {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
	if got.Weighted != 0 && got.Weighted != estimate(want.weight) {
		t.Errorf("%s: weighted %v, want %v", name, got.Weighted, estimate(want.weight))
	}
	if got.P90 == nil {
		return
	}
	if q := quantiles(want.latencies, 0.5, 0.9, 0.99); q[0] != *got.P50 || q[1] != *got.P90 || q[2] != *got.P99 {
		t.Errorf("%s: p50 %v p90 %v p99 %v, want %v", name, *got.P50, *got.P90, *got.P99, q)
	}
}

// A sample's estimates are near the truth: within five standard errors, which a
// right one exceeds once in a million.
func TestFacetsOfASample(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(17, 2))
	all := someRequests(r, 20_000)
	s.insert(all...)
	to := figuresStart.Add(figuresSpan)
	q := facetsQuestion{
		project: "default", kind: record.Request, filter: mustParse(t, "duration >= 0"), window: window{figuresStart, to},
		fields: mustFields(t, "service,attributes['plan']", record.Request), limit: 10,
	}
	part := sampleOf(q.window, uint64(len(all)), 4000)
	out := &valueCounts{facets: make([]Facet, 2)}
	inSample := map[string]uint64{}
	for _, w := range part.windows() {
		for _, rec := range within(all, w.From, w.To, nil) {
			inSample[rec.Service]++
		}
	}
	a := &api{store: s.client, now: time.Now}
	err := a.fill(t.Context(), out, q, []int{0, 1}, "requests", part, func(q facetsQuestion) clickhouse.Query { return planFacetRows(q, part) })
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range out.facets[0].Values {
		truth := float64(len(within(all, figuresStart, to, func(rec *record.Record) bool { return rec.Service == v.Value })))
		if v.Count != part.estimated(inSample[v.Value]) || v.Error <= 0 || math.Abs(float64(v.Count)-truth) > 5*v.Error {
			t.Errorf("%s: %d ± %.0f, %d in the sample, %v in truth", v.Value, v.Count, v.Error, inSample[v.Value], truth)
		}
	}
	if len(out.facets[0].Values) != 3 || len(out.facets[1].Values) != 3 {
		t.Errorf("%+v", out.facets)
	}
}

// A statement that goes over a limit of its own says what to do about it.
func TestTooManyGroups(t *testing.T) {
	s := newTestStore(t)
	s.insert(someRequests(rand.New(rand.NewPCG(17, 9)), 200)...)
	a := &api{store: s.client, now: time.Now}
	q := planGroupRows(groupsQuestion{
		project: "default", kind: record.Request, filter: mustParse(t, ""), window: window{figuresStart, figuresStart.Add(figuresSpan)},
		by: mustFields(t, "attributes.free", record.Request),
	})
	q.Settings["max_rows_to_group_by"] = "2"
	_, err := a.ask(t.Context(), q, func(*clickhouse.Reader) {})
	if p := asProblem(err); err == nil || p.Status != http.StatusBadRequest || !strings.Contains(p.Detail, "fewer values") {
		t.Errorf("%v", err)
	}
}

func TestBadFigures(t *testing.T) {
	s := newEmptyStore(t)
	for _, tc := range []struct {
		path  string
		query []string
		want  string
	}{
		{"facets", nil, "fields"},
		{"facets", []string{"fields", "nothing"}, "want a column"},
		{"facets", []string{"fields", "status", "filter", "status >= abc"}, "expected a number"},
		{"facets", []string{"fields", strings.Repeat("attributes.a,", 21)}, "twice"},
		{"facets", []string{"fields", "status", "kind", "metric"}, "kind"},
		{"facets", []string{"fields", "status", "limit", "0"}, "limit"},
		{"facets", []string{"fields", "status", "from", "now", "to", "-1h"}, "is not before the end"},
		{"facets", []string{"fields", "status", "prefix", strings.Repeat("p", 257)}, "prefix"},
		{"facets", []string{"fields", "attributes['" + strings.Repeat("k", 300) + "']"}, "at most 256 bytes"},
		{"groups", []string{"by", ""}, "by"},
		{"groups", []string{"by", "route,service,method,status"}, "at most 3"},
		{"groups", []string{"by", "route", "metrics", "p42"}, "p42"},
		{"groups", []string{"by", "route", "sort", "p42"}, "p42"},
		{"groups", []string{"by", "name", "kind", "event", "metrics", "p50"}, "events have no duration"},
		{"groups", []string{"by", "route", "compare", "next"}, "compare"},
		{"groups", []string{"by", "route", "limit", "1001"}, "limit"},
		{"compare", nil, "want a filter, a duration"},
		{"compare", []string{"select", "status >= abc"}, "query.select"},
		{"compare", []string{"min_ms", "-1"}, "min_ms"},
		{"compare", []string{"min_ms", "NaN"}, "min_ms"},
		{"compare", []string{"min_ms", "Inf"}, `"detail":"min_ms: expected number <= 1e+12"`},
		{"compare", []string{"min_ms", "5", "limt", "1"}, `"detail":"limt: unknown query parameter"`},
		{"groups", []string{"by", "route", "limit", "0", "compare", "next"}, "(and 1 more: see errors)"},
		{"compare", []string{"min_ms", "5", "max_ms", "5"}, "more than min_ms"},
		{"compare", []string{"min_ms", "5", "kind", "event"}, "events have no duration"},
		{"compare", []string{"select_from", "2001-01-01T00:00:00Z", "select_to", "2001-01-02T00:00:00Z"}, "outside of from and to"},
	} {
		status, body := s.get(tc.path, tc.query...)
		if status != http.StatusBadRequest || !strings.Contains(string(body), tc.want) {
			t.Errorf("%s %v: %d: %s, want %q", tc.path, tc.query, status, body, tc.want)
		}
	}
	for _, path := range []string{"servicemap", "usage", "markers", "export", "journeys/a/b/pivots", "journeys/a/b?linked=true", "facets?fields=status,env,attributes.a", "groups?by=route", "groups?by=env", "groups?by=name&kind=event", "compare?min_ms=5"} {
		path, query, _ := strings.Cut(path, "?")
		var args []string
		for pair := range strings.SplitSeq(query, "&") {
			if k, v, ok := strings.Cut(pair, "="); ok {
				args = append(args, k, v)
			}
		}
		if status, body := s.get(path, args...); status != http.StatusOK {
			t.Errorf("%s of an empty store: %d: %s", path, status, body)
		}
	}
}
