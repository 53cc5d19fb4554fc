package queryserver

import (
	"slices"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// Periods of a comparison.
const (
	previous = iota
	current
)

// maxRoutes bounds the list of routes in the overview.
const maxRoutes = 100

// overviewPlan is the statements of an overview, which can run side by side.
type overviewPlan struct{ totals, latency, routes, routeLatency clickhouse.Query }

// planOverview compares a window with the one of equal length before it.
func planOverview(project string, w window) overviewPlan {
	before := window{From: later(earliest, w.From.Add(-w.Span())), To: w.From}
	counts, latencies := cut(w, countLevels, current), cut(w, latencyLevels, current)
	return overviewPlan{
		totals:       planSegments("totals", project, slices.Concat(cut(before, countLevels, previous), counts)),
		latency:      planSegments("total_latency", project, slices.Concat(cut(before, latencyLevels, previous), latencies)),
		routes:       planRoutes(project, counts),
		routeLatency: planSegments("route_latency", project, latencies),
	}
}

func planSegments(name, project string, segments []segment) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: name, SQL: render(name, bindSegments(segments, nil, p)), Params: p.values}
}

func planRoutes(project string, segments []segment) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "routes", SQL: render("routes", map[string]any{
		"Segments": bindSegments(segments, nil, p), "Limit": maxRoutes,
	}), Params: p.values}
}
