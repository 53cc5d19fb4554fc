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
	Columns int    `query:"columns" default:"96" minimum:"1" maximum:"500" doc:"About how many columns of time; the store keeps hours, quarters and minutes, and the coarsest that fits is read."`
	Routes  int    `query:"routes" default:"50" minimum:"1" maximum:"500" doc:"by=route: at most how many routes, the most frequent."`
}

// Heatmap is counts over time and latency, or figures over time and route.
type Heatmap struct {
	From    time.Time       `json:"from" doc:"Start of the first column."`
	StepS   int             `json:"step_s" doc:"Seconds a column covers."`
	Columns int             `json:"columns"`
	Buckets []LatencyBucket `json:"buckets,omitempty" doc:"by=latency: the rows, fastest first, without gaps."`
	Routes  []RouteName     `json:"routes,omitempty" doc:"by=route: the rows, most frequent first."`
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
	var conditions []filter.Node
	for _, c := range []struct{ column, value string }{{"service", in.Service}, {"route", in.Route}, {"method", in.Method}} {
		if c.value != "" {
			conditions = append(conditions, filter.Equal(c.column, c.value))
		}
	}
	g := gridOf(w, in.Columns)
	out := Heatmap{From: g.start, StepS: int(g.step / time.Second), Columns: g.columns, Cells: [][]float64{}}
	if in.By == "route" {
		err = a.routeHeatmap(ctx, in, conditions, w, g, &out)
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

func (a *api) latencyHeatmap(ctx context.Context, project string, conditions []filter.Node, w window, g grid, out *Heatmap) error {
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

func (a *api) routeHeatmap(ctx context.Context, in *heatmapInput, conditions []filter.Node, w window, g grid, out *Heatmap) error {
	_, err := a.ask(ctx, planTopRoutes(in.Project, conditions, w, in.Routes), func(r *clickhouse.Reader) {
		out.Routes = append(out.Routes, readRouteName(r))
		_ = r.Uint64()
	})
	if err != nil {
		return err
	}
	var named []RouteName
	if len(out.Routes) > in.Routes {
		out.Routes = out.Routes[:in.Routes]
		named = out.Routes
	}
	index := make(map[RouteName]int, len(out.Routes))
	for i, name := range out.Routes {
		index[name] = i
	}

	type position struct {
		column uint32
		route  int
	}
	failed := map[position]uint64{}
	latencyQuery, errorQuery := planRouteHeatmap(in.Project, conditions, named, w, g)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		_, err := a.ask(ctx, latencyQuery, func(r *clickhouse.Reader) {
			column, name, counts := r.Uint32(), readRouteName(r), readLatencies(r)
			if i, shown := index[name]; shown && len(counts) > 0 {
				out.Cells = append(out.Cells, []float64{float64(column), float64(i), total(counts), 0, quantiles(counts, 0.95)[0]})
			}
		})
		return err
	})
	group.Go(func() error {
		_, err := a.ask(ctx, errorQuery, func(r *clickhouse.Reader) {
			column, name, n := r.Uint32(), readRouteName(r), r.Uint64()
			if i, shown := index[name]; shown {
				failed[position{column, i}] = n
			}
		})
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	for _, cell := range out.Cells {
		cell[3] = float64(failed[position{uint32(cell[0]), int(cell[1])}])
	}
	slices.SortFunc(out.Cells, func(a, b []float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return nil
}

// total is how many requests are in all buckets.
func total(counts []latencyCount) float64 {
	var n uint64
	for _, c := range counts {
		n += c.count
	}
	return float64(n)
}
