package queryserver

import (
	"maps"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// planHeatmap counts requests per column of the grid and latency bucket.
func planHeatmap(project string, conditions []filter.Node, w window, g grid) clickhouse.Query {
	return planGrid("heatmap", project, latencyLevels, conditions, nil, w, g)
}

// planTopRoutes names the most frequent routes of a window, and one more than
// asked for where there are more.
func planTopRoutes(project string, conditions []filter.Node, w window, limit int) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "heatmap_routes", SQL: render("heatmap_routes", map[string]any{
		"Segments": bindSegments(cut(w, countLevels, current), conditions, p), "Limit": limit + 1,
	}), Params: p.values}
}

// planRouteHeatmap gives, per column of the grid and route, the counts by latency
// bucket, whose sum is the number of requests, and the errors. A bucket may come
// more than once per cell, from several parts and steps: adding them up in the
// store would make a group of each, which took five times as long. Where routes
// are named, few others come along.
func planRouteHeatmap(project string, conditions []filter.Node, named []RouteName, w window, g grid) (latency, errors clickhouse.Query) {
	return planGrid("heatmap_route_latency", project, latencyLevels, conditions, named, w, g),
		planGrid("heatmap_route_errors", project, countLevels, conditions, named, w, g)
}

func planGrid(name, project string, levels []level, conditions []filter.Node, named []RouteName, w window, g grid) clickhouse.Query {
	p := newParams(project)
	column := g.column(p)
	segments := bindSegments(cut(w, fitting(levels, g.step), current), conditions, p)
	if len(named) > 0 {
		where := onlyRoutes(named, p)
		for i := range segments {
			segments[i].Where += where
		}
	}
	return clickhouse.Query{Name: name, SQL: render(name, map[string]any{
		"Column": column, "Segments": segments,
	}), Params: p.values}
}

// onlyRoutes leaves few routes beside the named ones: each column is compared
// alone, which the store does on the column's dictionary, where triples would be
// compared row by row.
func onlyRoutes(named []RouteName, p *params) string {
	services, routes := map[string]bool{}, map[string]bool{}
	for _, n := range named {
		services[n.Service], routes[n.Route] = true, true
	}
	in := func(column string, values map[string]bool) string {
		var bound []string
		for _, v := range slices.Sorted(maps.Keys(values)) {
			bound = append(bound, p.text(v))
		}
		return " AND " + column + " IN (" + strings.Join(bound, ", ") + ")"
	}
	return in("service", services) + in("route", routes)
}
