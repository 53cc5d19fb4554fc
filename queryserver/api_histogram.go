package queryserver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type histogramInput struct {
	ProjectParam
	WindowParams
	Filter  string `query:"filter" doc:"Which records, in the filter language. Default: everything."`
	Buckets int    `query:"buckets" default:"60" minimum:"1" maximum:"1000" doc:"About how many counts per series; steps are round, so there may be fewer."`
	By      string `query:"by" enum:"status_class,status,service,route,method" doc:"Split into a series per value. Default: one series with an empty key."`
}

// Histogram is counts over time.
type Histogram struct {
	From   time.Time `json:"from" doc:"Start of the first count's step. What lies before the asked from is not counted."`
	To     time.Time `json:"to" doc:"End of the last count's step."`
	StepS  int       `json:"step_s" doc:"Seconds a count covers."`
	Source string    `json:"source" doc:"Table that most of the counts come from; edges always come from requests."`
	// Sampled is here rather than in each series so that a chart can say it once.
	Sampled bool     `json:"sampled,omitempty" doc:"Some of what was counted was sampled and stands for more: see weighted."`
	Series  []Series `json:"series" doc:"Most frequent first; past 20 the rest is summed up as (other)."`
}

// Series is the counts of one key.
type Series struct {
	Key    string   `json:"key"`
	Counts []uint64 `json:"counts" doc:"Stored requests, one per step."`
	// Weighted is nil where every request stands for itself.
	Weighted []float64 `json:"weighted,omitempty" doc:"Requests that those stand for, an estimate, one per step; only where sampled."`
}

const (
	// maxSeries is as many as a stacked chart can show apart.
	maxSeries   = 20
	otherSeries = "(other)"
)

func (a *api) histogram(ctx context.Context, in *histogramInput) (*answer[Histogram], error) {
	expr, err := a.parseFilter(in.Filter)
	if err != nil {
		return nil, err
	}
	w, err := in.resolve(a.now(), defaultWindow)
	if err != nil {
		return nil, err
	}
	g := gridOf(w, in.Buckets)
	q, from := planHistogram(in.Project, expr, w, g, in.By)
	out := Histogram{From: g.start, To: g.end(), StepS: int(g.step / time.Second), Source: from}
	series := map[string]*Series{}
	_, err = a.ask(ctx, q, func(r *clickhouse.Reader) {
		column, key, n, weight := int(r.Uint32()), r.String(), r.Uint64(), r.Uint64()
		if series[key] == nil {
			series[key] = newSeries(key, g.columns)
		}
		if column < g.columns {
			series[key].Counts[column] += n
			series[key].Weighted[column] += estimate(weight)
		}
		out.Sampled = out.Sampled || isSampled(n, weight)
	})
	if err != nil {
		return nil, err
	}
	if in.By == "" && len(series) == 0 {
		series[""] = newSeries("", g.columns)
	}
	out.Series = topSeries(series, g.columns)
	if !out.Sampled {
		for i := range out.Series {
			out.Series[i].Weighted = nil
		}
	}
	return &answer[Histogram]{Body: out}, nil
}

func newSeries(key string, columns int) *Series {
	return &Series{Key: key, Counts: make([]uint64, columns), Weighted: make([]float64, columns)}
}

// topSeries orders series by their total and sums up those past maxSeries.
func topSeries(series map[string]*Series, columns int) []Series {
	out := make([]Series, 0, len(series))
	totals := map[string]uint64{}
	for key, s := range series {
		out = append(out, *s)
		for _, n := range s.Counts {
			totals[key] += n
		}
	}
	slices.SortFunc(out, func(a, b Series) int {
		return cmp.Or(cmp.Compare(totals[b.Key], totals[a.Key]), cmp.Compare(a.Key, b.Key))
	})
	if len(out) <= maxSeries {
		return out
	}
	other := newSeries(otherSeries, columns)
	for _, s := range out[maxSeries:] {
		for i := range s.Counts {
			other.Counts[i] += s.Counts[i]
			other.Weighted[i] += s.Weighted[i]
		}
	}
	return append(out[:maxSeries], *other)
}
