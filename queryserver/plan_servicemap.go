package queryserver

import (
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

const (
	// mapRows is how many rows are read for a service map at most; more are
	// sampled. Half of them may be held as possible callers.
	mapRows = 1_000_000
	// mapMargin is how much earlier than a slice its requests' callers are looked
	// for, and how much later than one the requests that its spans called.
	mapMargin = 30 * time.Second
	// maxEdges bounds the edges of each sort.
	maxEdges = 500
)

// serviceMapPlan is the statements of a service map, which can run side by side.
// All give sums and two arrays, latency buckets and their counts, by ends of edges.
type serviceMapPlan struct{ calls, peers, consumers clickhouse.Query }

func planServiceMap(project string, s sample) serviceMapPlan {
	return serviceMapPlan{
		calls:     planServiceMapPart("servicemap_calls", project, s),
		peers:     planServiceMapPart("servicemap_peers", project, s),
		consumers: planServiceMapPart("servicemap_consumers", project, s),
	}
}

func planServiceMapPart(name, project string, s sample) clickhouse.Query {
	p := newParams(project)
	data := map[string]any{"Sample": s.where(p), "Limit": maxEdges}
	before, after := s.windows(), s.windows()
	for i := range before {
		before[i].From = before[i].From.Add(-mapMargin)
		after[i].To = after[i].To.Add(mapMargin)
	}
	switch name {
	case "servicemap_calls":
		data["Tables"], data["Callers"] = []string{"spans", "requests"}, p.ranges(before)
		data["From"], data["To"] = p.nanos(s.From.Add(-mapMargin).UnixNano()), p.nanos(s.To.UnixNano())
	case "servicemap_peers":
		data["Callees"] = p.ranges(after)
		data["From"], data["To"] = p.nanos(s.From.UnixNano()), p.nanos(s.To.Add(mapMargin).UnixNano())
	}
	return clickhouse.Query{Name: name, SQL: render(name, data), Params: p.values, Settings: cloneSettings(figureSettings)}
}
