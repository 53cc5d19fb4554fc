package queryserver

import (
	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// planHeatmap counts requests per column of the grid and latency bucket.
func planHeatmap(project string, conditions []*filter.Compare, w window, g grid) clickhouse.Query {
	return planGrid("heatmap", project, latencyLevels, conditions, w, g)
}

// planRouteHeatmap gives the counts and the p95 per column of the grid and route.
func planRouteHeatmap(project string, conditions []*filter.Compare, w window, g grid) (counts, latency clickhouse.Query) {
	return planGrid("heatmap_route_counts", project, countLevels, conditions, w, g),
		planGrid("heatmap_route_latency", project, latencyLevels, conditions, w, g)
}

func planGrid(name, project string, levels []level, conditions []*filter.Compare, w window, g grid) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: name, SQL: render(name, map[string]any{
		"Column":   g.column(p),
		"Segments": bindSegments(cut(w, fitting(levels, g.step), current), conditions, p),
	}), Params: p.values}
}
