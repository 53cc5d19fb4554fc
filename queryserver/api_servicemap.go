package queryserver

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type serviceMapInput struct {
	ProjectParam
	WindowParams
}

// ServiceMap is who calls whom.
type ServiceMap struct {
	From   time.Time  `json:"from"`
	To     time.Time  `json:"to"`
	Nodes  []MapNode  `json:"nodes" doc:"Services first, the busiest first; then what they call."`
	Edges  []MapEdge  `json:"edges" doc:"Most frequent first, at most 500 of each: calls between services, of databases and other peers, and from queues."`
	Sample *MapSample `json:"sample,omitempty" doc:"Absent where every record was read. Otherwise counts of edges are estimates; nodes of services are exact."`
	Stats  Stats      `json:"stats"`
}

// MapSample says which part of the records the edges were made from.
type MapSample struct {
	Sample
	Unseen string `json:"unseen" doc:"What the sample cannot see."`
}

const mapUnseen = "calls whose caller began more than 30 s before a slice, and peers that answered more than 30 s after one, are not recognised as calls between services"

// MapNode is a service or what services call.
type MapNode struct {
	ID        string  `json:"id" doc:"type:name"`
	Type      string  `json:"type" enum:"service,database,messaging,external"`
	Name      string  `json:"name"`
	Count     uint64  `json:"count" doc:"Requests of a service; calls of anything else."`
	Errors    uint64  `json:"errors"`
	ErrorRate float64 `json:"error_rate" doc:"0 to 1"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
}

// MapEdge is the calls from one node to another. Latencies are those that the
// callee measured, where it is a service, and those of the caller otherwise.
type MapEdge struct {
	From      string  `json:"from" doc:"id of a node"`
	To        string  `json:"to" doc:"id of a node"`
	Count     uint64  `json:"count"`
	Errors    uint64  `json:"errors"`
	ErrorRate float64 `json:"error_rate" doc:"0 to 1"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
}

func (a *api) registerServiceMap(h huma.API) {
	huma.Register(h, get("servicemap", "servicemap", "Who calls whom"), a.serviceMap)
}

func (a *api) serviceMap(ctx context.Context, in *serviceMapInput) (*answer[ServiceMap], error) {
	w, err := in.resolve(a.now(), defaultWindow)
	if err != nil {
		return nil, err
	}
	s, err := a.mapSample(ctx, in.Project, w)
	if err != nil {
		return nil, err
	}
	plan := planServiceMap(in.Project, s)
	var found [3][]edgeSums
	var stats [3]clickhouse.Stats
	var services *groupSet
	g, ctx := errgroup.WithContext(ctx)
	run := func(i int, q clickhouse.Query, row func(*clickhouse.Reader) edgeSums) {
		g.Go(func() (err error) {
			stats[i], err = a.ask(ctx, q, func(r *clickhouse.Reader) { found[i] = append(found[i], row(r)) })
			return err
		})
	}
	run(0, plan.calls, func(r *clickhouse.Reader) edgeSums {
		return readEdge(r, nodeID("service", r.String()), nodeID("service", r.String()))
	})
	run(1, plan.peers, func(r *clickhouse.Reader) edgeSums {
		return readEdge(r, nodeID("service", r.String()), nodeID(r.String(), r.String()))
	})
	run(2, plan.consumers, func(r *clickhouse.Reader) edgeSums {
		service, queue := r.String(), r.String()
		return readEdge(r, nodeID("messaging", queue), nodeID("service", service))
	})
	g.Go(func() (err error) {
		service, err := parseField("service", record.Request)
		if err != nil {
			return err
		}
		services, err = a.groupFigures(ctx, groupsQuestion{
			project: in.Project, kind: record.Request, filter: &filter.Expr{}, window: w, by: []field{service}, latencies: true,
		})
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := ServiceMap{From: w.From, To: w.To, Nodes: []MapNode{}, Edges: []MapEdge{}}
	out.draw(services, slices.Concat(found[:]...), s)
	total := services.stats
	for _, cost := range stats {
		total.Add(cost)
	}
	out.Stats = statsOf(total)
	return &answer[ServiceMap]{Body: out}, nil
}

// mapSample bounds what is read of requests and spans together.
func (a *api) mapSample(ctx context.Context, project string, w window) (sample, error) {
	var rows uint64
	for _, kind := range timed {
		n, err := a.rowsToRead(ctx, project, kind, &filter.Expr{}, w)
		if err != nil {
			return sample{}, err
		}
		rows += n
	}
	return sampleOf(w, rows, mapRows), nil
}

// edgeSums is what is added up for an edge.
type edgeSums struct {
	from, to string
	groupSums
}

func nodeID(kind, name string) string { return kind + ":" + name }

func readEdge(r *clickhouse.Reader, from, to string) edgeSums {
	return edgeSums{from, to, groupSums{count: r.Uint64(), errors: r.Uint64(), latencies: readLatencies(r)}}
}

// draw makes nodes of the services and of the ends of edges.
func (m *ServiceMap) draw(services *groupSet, edges []edgeSums, s sample) {
	if label := s.label(); label != nil {
		m.Sample = &MapSample{Sample: *label, Unseen: mapUnseen}
	}
	nodes := map[string]*groupSums{}
	for _, g := range services.groups {
		nodes[nodeID("service", g.key[0])] = &g.period[current]
	}
	for _, e := range edges {
		q := threeQuantiles(e.latencies)
		m.Edges = append(m.Edges, MapEdge{
			From: e.from, To: e.to, Count: s.estimated(e.count), Errors: s.estimated(e.errors), ErrorRate: e.errorRate(), P50: q[0], P95: q[1], P99: q[2],
		})
		for _, id := range []string{e.from, e.to} {
			if nodes[id] == nil {
				nodes[id] = &groupSums{}
			}
		}
		if !strings.HasPrefix(e.to, "service:") {
			n := nodes[e.to]
			n.count, n.errors = n.count+s.estimated(e.count), n.errors+s.estimated(e.errors)
			n.latencies = addLatencies(n.latencies, e.latencies)
		}
	}
	for id, n := range nodes {
		kind, name, _ := strings.Cut(id, ":")
		q := threeQuantiles(n.latencies)
		m.Nodes = append(m.Nodes, MapNode{ID: id, Type: kind, Name: name, Count: n.count, Errors: n.errors, ErrorRate: n.errorRate(), P50: q[0], P95: q[1], P99: q[2]})
	}
	slices.SortFunc(m.Nodes, func(a, b MapNode) int {
		return cmp.Or(-cmp.Compare(boolInt(a.Type == "service"), boolInt(b.Type == "service")), cmp.Compare(b.Count, a.Count), strings.Compare(a.ID, b.ID))
	})
	slices.SortFunc(m.Edges, func(a, b MapEdge) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// threeQuantiles are p50, p95 and p99, 0 without requests.
func threeQuantiles(counts []latencyCount) []float64 {
	if q := quantiles(counts, percentiles...); len(q) == len(percentiles) {
		return q
	}
	return make([]float64, len(percentiles))
}

// addLatencies adds counts up by bucket, in order.
func addLatencies(a, b []latencyCount) []latencyCount {
	sums := map[uint8]uint64{}
	for _, c := range slices.Concat(a, b) {
		sums[c.bucket] += c.count
	}
	out := make([]latencyCount, 0, len(sums))
	for bucket, n := range sums {
		out = append(out, latencyCount{bucket, n})
	}
	slices.SortFunc(out, func(a, b latencyCount) int { return cmp.Compare(a.bucket, b.bucket) })
	return out
}
