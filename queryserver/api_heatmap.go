package queryserver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type heatmapInput struct {
	ProjectParam
	WindowParams
	Service string `query:"service" doc:"Only this service."`
	Route   string `query:"route" doc:"Only this route."`
	Method  string `query:"method" doc:"Only this method."`
	By      string `query:"by" enum:"latency,route" default:"latency" doc:"What the rows are: latency buckets or routes."`
	Columns int    `query:"columns" default:"96" minimum:"1" maximum:"500" doc:"About how many columns of time."`
}

// Heatmap is counts over time and latency, or figures over time and route.
type Heatmap struct {
	From    time.Time       `json:"from" doc:"Start of the first column."`
	StepS   int             `json:"step_s" doc:"Seconds a column covers."`
	Columns int             `json:"columns"`
	Buckets []LatencyBucket `json:"buckets,omitempty" doc:"by=latency: the rows, fastest first, without gaps."`
	Routes  []RouteName     `json:"routes,omitempty" doc:"by=route: the rows, most frequent first, at most 40."`
	Cells   [][]float64     `json:"cells" doc:"Cells with requests. by=latency: [column, bucket, count]. by=route: [column, route, count, errors, p95 in ms]."`
}

// LatencyBucket is the range [lo, hi) of a heatmap's row.
type LatencyBucket struct {
	LoMS float64 `json:"lo_ms"`
	HiMS float64 `json:"hi_ms"`
}

// maxLatencyRows is how many rows a heatmap has at most; finer buckets are put
// together, two, four or eight to one.
const maxLatencyRows = 64

func (a *api) heatmap(ctx context.Context, in *heatmapInput) (*answer[Heatmap], error) {
	w, err := in.resolve(a.now(), defaultWindow)
	if err != nil {
		return nil, err
	}
	var conditions []*filter.Compare
	for _, c := range []struct{ column, value string }{{"service", in.Service}, {"route", in.Route}, {"method", in.Method}} {
		if c.value != "" {
			conditions = append(conditions, filter.Equal(c.column, c.value))
		}
	}
	g := gridOf(w, in.Columns)
	out := Heatmap{From: g.start, StepS: int(g.step / time.Second), Columns: g.columns, Cells: [][]float64{}}
	if in.By == "route" {
		err = a.routeHeatmap(ctx, in.Project, conditions, w, g, &out)
	} else {
		err = a.latencyHeatmap(ctx, in.Project, conditions, w, g, &out)
	}
	if err != nil {
		return nil, err
	}
	return &answer[Heatmap]{Body: out}, nil
}

// latencyCell is the count of one stored bucket in one column.
type latencyCell struct {
	column uint32
	bucket uint8
	count  uint64
}

func (a *api) latencyHeatmap(ctx context.Context, project string, conditions []*filter.Compare, w window, g grid, out *Heatmap) error {
	var cells []latencyCell
	_, err := a.ask(ctx, planHeatmap(project, conditions, w, g), func(r *clickhouse.Reader) {
		cells = append(cells, latencyCell{r.Uint32(), r.Uint8(), r.Uint64()})
	})
	if err != nil {
		return err
	}
	out.Buckets, out.Cells = joinBuckets(cells)
	return nil
}

// joinBuckets makes rows of stored buckets: as fine as maxLatencyRows allows,
// from the fastest seen to the slowest.
func joinBuckets(cells []latencyCell) ([]LatencyBucket, [][]float64) {
	out := [][]float64{}
	if len(cells) == 0 {
		return nil, out
	}
	byBucket := func(a, b latencyCell) int { return cmp.Compare(a.bucket, b.bucket) }
	lo, hi := int(slices.MinFunc(cells, byBucket).bucket), int(slices.MaxFunc(cells, byBucket).bucket)
	shift := 0
	for hi>>shift-lo>>shift >= maxLatencyRows {
		shift++
	}
	first, last := lo>>shift, hi>>shift
	buckets := make([]LatencyBucket, 0, last-first+1)
	for b := first; b <= last; b++ {
		low, _ := schema.BucketBounds(uint8(b << shift))
		_, high := schema.BucketBounds(uint8(min((b+1)<<shift-1, 255)))
		buckets = append(buckets, LatencyBucket{float64(low), float64(high)})
	}
	for _, c := range cells { // in order of column, then bucket
		column, row := float64(c.column), float64(int(c.bucket)>>shift-first)
		if n := len(out); n > 0 && out[n-1][0] == column && out[n-1][1] == row {
			out[n-1][2] += float64(c.count)
			continue
		}
		out = append(out, []float64{column, row, float64(c.count)})
	}
	return buckets, out
}

func (a *api) routeHeatmap(ctx context.Context, project string, conditions []*filter.Compare, w window, g grid, out *Heatmap) error {
	type cellKey struct {
		column uint32
		name   RouteName
	}
	type count struct {
		cellKey
		total, errors uint64
	}
	var counts []count
	totals, p95 := map[RouteName]uint64{}, map[cellKey]float64{}
	countQuery, latencyQuery := planRouteHeatmap(project, conditions, w, g)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		_, err := a.ask(ctx, countQuery, func(r *clickhouse.Reader) {
			c := count{cellKey{r.Uint32(), readRouteName(r)}, r.Uint64(), r.Uint64()}
			counts = append(counts, c)
			totals[c.name] += c.total
		})
		return err
	})
	group.Go(func() error {
		_, err := a.ask(ctx, latencyQuery, func(r *clickhouse.Reader) {
			key := cellKey{r.Uint32(), readRouteName(r)}
			if q := quantiles(readLatencies(r), 0.95); q != nil {
				p95[key] = q[0]
			}
		})
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}

	index := map[RouteName]int{}
	for i, name := range topRoutes(totals) {
		out.Routes = append(out.Routes, name)
		index[name] = i
	}
	for _, c := range counts {
		if i, shown := index[c.name]; shown {
			out.Cells = append(out.Cells, []float64{float64(c.column), float64(i), float64(c.total), float64(c.errors), p95[c.cellKey]})
		}
	}
	return nil
}

// topRoutes gives the most frequent routes, by name where equal.
func topRoutes(totals map[RouteName]uint64) []RouteName {
	names := make([]RouteName, 0, len(totals))
	for name := range totals {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b RouteName) int {
		return cmp.Or(cmp.Compare(totals[b], totals[a]), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Route, b.Route))
	})
	return names[:min(len(names), maxHeatmapRoutes)]
}
