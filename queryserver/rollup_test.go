package queryserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
)

// Whatever the window, answers from rollups are those from raw rows: counts
// exactly, quantiles within their bucket.
func TestRollupsEqualRawRows(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(5, 6))
	start := time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	const span = 7 * time.Hour
	var all []record.Record
	for i := range 3000 {
		all = append(all, record.Record{
			Kind: record.Request, Project: "default", RID: uint64(i), Time: start.Add(time.Duration(r.Int64N(int64(span)))),
			Service: fmt.Sprint("svc", r.IntN(3)), Route: fmt.Sprint("/r", r.IntN(5)), Method: []string{"GET", "POST"}[r.IntN(2)],
			Status: []uint16{0, 200, 200, 200, 404, 500, 503}[r.IntN(7)], Duration: uint64(r.ExpFloat64() * 1e8),
			Weight: []uint32{256, 256, 1024, 300}[r.IntN(4)],
		})
	}
	s.insert(all...)

	filters := []string{"", "status >= 500", "service = 'svc1' AND method != 'GET'", "route > '/r2' AND status < 500", "status > -1", "type = 'request' AND status = 404.5"}
	bys := []string{"", "status", "status_class", "service", "route", "method"}
	for range 25 {
		from := start.Add(time.Duration(r.Int64N(int64(span)))).Add(-time.Hour)
		to := from.Add(time.Duration(1 + r.Int64N(int64(span))))
		args := []string{"from", from.Format(time.RFC3339Nano), "to", to.Format(time.RFC3339Nano)}
		filter, by := filters[r.IntN(len(filters))], bys[r.IntN(len(bys))]
		buckets := fmt.Sprint(1 + r.IntN(2)*59)
		ask := func(filter string) Histogram {
			query := append([]string{"filter", filter, "buckets", buckets}, args...)
			if by != "" {
				query = append(query, "by", by)
			}
			return decodeAnswer[Histogram](t, s, "histogram", query...)
		}
		rolled := ask(filter)
		raw := ask(and(filter, "duration >= 0"))
		if raw.Source != "requests" || rolled.Sampled != raw.Sampled || !reflect.DeepEqual(rolled.Series, raw.Series) {
			t.Fatalf("%q by %q, %s to %s:\nfrom %s: %v\nfrom raw: %v", filter, by, from, to, rolled.Source, rolled.Series, raw.Series)
		}
		checkOverview(t, decodeAnswer[Overview](t, s, "overview", args...), all, from, to)
		checkRouteHeatmap(t, decodeAnswer[Heatmap](t, s, "heatmap", append(args, "by", "route", "routes", "7", "columns", buckets)...), all, from, to)
	}
}

func and(a, b string) string {
	if a == "" {
		return b
	}
	return a + " AND " + b
}

func checkOverview(t *testing.T, got Overview, all []record.Record, from, to time.Time) {
	t.Helper()
	counts := map[RouteName][2]uint64{}
	byBucket := map[uint8]uint64{}
	var total, errors, before, weight float64
	for _, rec := range all {
		if !rec.Time.Before(from.Add(-to.Sub(from))) && rec.Time.Before(from) {
			before++
		}
		if rec.Time.Before(from) || !rec.Time.Before(to) {
			continue
		}
		total++
		weight += float64(rec.Weight) / 256
		c := counts[RouteName{rec.Service, rec.Method, rec.Route}]
		c[0]++
		if rec.Status >= 500 {
			c[1]++
			errors++
		}
		counts[RouteName{rec.Service, rec.Method, rec.Route}] = c
		byBucket[schema.Bucket(rec.Duration)]++
	}
	if *got.Tiles.Requests.Value != total || *got.Tiles.Requests.Previous != before {
		t.Fatalf("%s to %s: %v requests, %v before; want %v, %v", from, to, *got.Tiles.Requests.Value, *got.Tiles.Requests.Previous, total, before)
	}
	if weight != total && (got.Tiles.Weighted == nil || *got.Tiles.Weighted.Value != weight) {
		t.Fatalf("%s to %s: estimate %+v, want %v", from, to, got.Tiles.Weighted, weight)
	}
	if len(got.Routes) != len(counts) {
		t.Fatalf("%d routes, want %d", len(got.Routes), len(counts))
	}
	for _, route := range got.Routes {
		if c := counts[route.RouteName]; route.Count != c[0] || route.Errors != c[1] {
			t.Fatalf("%v: %d requests, %d errors, want %v", route.RouteName, route.Count, route.Errors, c)
		}
	}
	var buckets []latencyCount
	for b := range 256 {
		if n := byBucket[uint8(b)]; n > 0 {
			buckets = append(buckets, latencyCount{uint8(b), n})
		}
	}
	if want := quantiles(buckets, 0.95); want != nil && *got.Tiles.P95.Value != want[0] {
		t.Fatalf("p95 %v, want %v", *got.Tiles.P95.Value, want[0])
	}
}

// checkRouteHeatmap adds up the cells of each route.
func checkRouteHeatmap(t *testing.T, got Heatmap, all []record.Record, from, to time.Time) {
	t.Helper()
	want := map[RouteName][2]float64{}
	for _, rec := range all {
		if rec.Time.Before(from) || !rec.Time.Before(to) {
			continue
		}
		name := RouteName{rec.Service, rec.Method, rec.Route}
		c := want[name]
		c[0]++
		if rec.Status >= 500 {
			c[1]++
		}
		want[name] = c
	}
	if len(got.Routes) != min(7, len(want)) {
		t.Fatalf("%d routes, want %d", len(got.Routes), min(7, len(want)))
	}
	sums := make([][2]float64, len(got.Routes))
	for _, cell := range got.Cells {
		sums[int(cell[1])][0] += cell[2]
		sums[int(cell[1])][1] += cell[3]
	}
	for i, name := range got.Routes {
		if sums[i] != want[name] {
			t.Fatalf("%v from %s to %s: requests and errors %v, want %v", name, from, to, sums[i], want[name])
		}
		if i > 0 && sums[i][0] > sums[i-1][0] {
			t.Fatalf("route %d is more frequent than the one before it", i)
		}
	}
}

func decodeAnswer[T any](t *testing.T, s *testStore, path string, query ...string) T {
	t.Helper()
	var v T
	status, body := s.get(path, query...)
	if status != 200 {
		t.Fatalf("%s %v: %d: %s", path, query, status, body)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
