package queryserver

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type overviewInput struct {
	ProjectParam
	WindowParams
}

// Overview is the totals of a window beside those of the window before it.
type Overview struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Tiles  Tiles     `json:"tiles"`
	Routes []Route   `json:"routes" doc:"Most frequent first, at most 100."`
}

// Tiles are the figures of the overview. Percentiles come from counts
// per latency bucket and are off by at most its width, an eighth of an octave.
type Tiles struct {
	Requests Tile `json:"requests" doc:"Stored requests."`
	// Weighted is nil where every request stands for itself.
	Weighted  *Tile `json:"requests_weighted,omitempty" doc:"Requests that those stand for, an estimate; only where some were sampled. The other figures are of stored requests."`
	RPS       Tile  `json:"rps" doc:"Requests per second."`
	ErrorRate Tile  `json:"error_rate" doc:"Share of requests with status 500 and above, 0 to 1."`
	P50       Tile  `json:"p50_ms"`
	P95       Tile  `json:"p95_ms"`
	P99       Tile  `json:"p99_ms"`
}

// Tile is a figure now and in the period before; null where there were no
// requests to take it from.
type Tile struct {
	Value    *float64 `json:"value" nullable:"true"`
	Previous *float64 `json:"previous" nullable:"true"`
}

// RouteName is what a route is told apart by.
type RouteName struct {
	Service string `json:"service"`
	Method  string `json:"method"`
	Route   string `json:"route"`
}

// Route is the figures of one route.
type Route struct {
	RouteName
	Count     uint64  `json:"count"`
	Weighted  float64 `json:"weighted,omitempty" doc:"Requests that count stands for, an estimate; only where some were sampled."`
	Errors    uint64  `json:"errors" doc:"Requests with status 500 and above."`
	ErrorRate float64 `json:"error_rate" doc:"0 to 1"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
}

// percentiles are the ranks shown of latencies.
var percentiles = []float64{0.5, 0.95, 0.99}

// periodTotals are the sums of one period.
type periodTotals struct {
	requests, errors uint64
	weight           uint64    // in 1/256
	quantiles        []float64 // p50, p95, p99 in ms; empty without requests
}

func (a *api) overview(ctx context.Context, in *overviewInput) (*answer[Overview], error) {
	w, err := in.resolve(a.now(), defaultWindow)
	if err != nil {
		return nil, err
	}
	plan := planOverview(in.Project, w)
	var totals, latencies [2]periodTotals
	routes, routeLatency := []Route{}, map[RouteName][]float64{}

	g, ctx := errgroup.WithContext(ctx)
	run := func(q clickhouse.Query, row func(*clickhouse.Reader)) {
		g.Go(func() error { _, err := a.ask(ctx, q, row); return err })
	}
	run(plan.totals, func(r *clickhouse.Reader) {
		t := &totals[r.Uint8()&1]
		t.requests, t.errors, t.weight = r.Uint64(), r.Uint64(), r.Uint64()
	})
	run(plan.latency, func(r *clickhouse.Reader) {
		latencies[r.Uint8()&1].quantiles = quantiles(readLatencies(r), percentiles...)
	})
	run(plan.routes, func(r *clickhouse.Reader) {
		route := Route{RouteName: readRouteName(r), Count: r.Uint64(), Errors: r.Uint64()}
		if weight := r.Uint64(); isSampled(route.Count, weight) {
			route.Weighted = estimate(weight)
		}
		route.ErrorRate = float64(route.Errors) / float64(max(route.Count, 1))
		routes = append(routes, route)
	})
	run(plan.routeLatency, func(r *clickhouse.Reader) {
		routeLatency[readRouteName(r)] = quantiles(readLatencies(r), percentiles...)
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}

	for i := range routes {
		if q := routeLatency[routes[i].RouteName]; len(q) == 3 {
			routes[i].P50, routes[i].P95, routes[i].P99 = q[0], q[1], q[2]
		}
	}
	for i := range totals {
		totals[i].quantiles = latencies[i].quantiles
	}
	return &answer[Overview]{Body: Overview{From: w.From, To: w.To, Tiles: tiles(totals, w.Span().Seconds()), Routes: routes}}, nil
}

func readRouteName(r *clickhouse.Reader) RouteName {
	return RouteName{Service: r.String(), Method: r.String(), Route: r.String()}
}

func tiles(totals [2]periodTotals, seconds float64) Tiles {
	tile := func(figure func(periodTotals) *float64) Tile {
		return Tile{Value: figure(totals[current]), Previous: figure(totals[previous])}
	}
	quantile := func(i int) Tile {
		return tile(func(t periodTotals) *float64 {
			if t.requests == 0 || len(t.quantiles) <= i {
				return nil
			}
			return &t.quantiles[i]
		})
	}
	var weighted *Tile
	if isSampled(totals[current].requests, totals[current].weight) || isSampled(totals[previous].requests, totals[previous].weight) {
		t := tile(func(t periodTotals) *float64 { return ptr(estimate(t.weight)) })
		weighted = &t
	}
	return Tiles{
		Weighted: weighted,
		Requests: tile(func(t periodTotals) *float64 { return ptr(float64(t.requests)) }),
		RPS:      tile(func(t periodTotals) *float64 { return ptr(float64(t.requests) / seconds) }),
		ErrorRate: tile(func(t periodTotals) *float64 {
			if t.requests == 0 {
				return nil
			}
			return ptr(float64(t.errors) / float64(t.requests))
		}),
		P50: quantile(0), P95: quantile(1), P99: quantile(2),
	}
}

func ptr(f float64) *float64 { return &f }
