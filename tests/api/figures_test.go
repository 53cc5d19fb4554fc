package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// window is the part of the items that figures are asked for: its edges are not
// on a minute, so that rollups alone cannot answer.
func window(base time.Time) (from, to time.Time) {
	return base.Add(-2*time.Hour - 13*time.Second), base.Add(-31*time.Minute - 7*time.Second)
}

func inside(all []item, from, to time.Time) []item {
	var in []item
	for _, it := range all {
		if !it.TS.Before(from) && it.TS.Before(to) {
			in = append(in, it)
		}
	}
	return in
}

func between(from, to time.Time, more ...string) url.Values {
	v := url.Values{"from": {from.Format(time.RFC3339Nano)}, "to": {to.Format(time.RFC3339Nano)}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// checkHistogram compares every count of every series with a loop.
func checkHistogram(t *testing.T, stack *harness.Stack, all []item, base time.Time) {
	from, to := window(base)
	in := inside(all, from, to)
	for _, c := range []struct {
		filter, by string
		match      func(item) bool
		key        func(item) string
	}{
		{"", "", func(item) bool { return true }, func(item) string { return "" }},
		{"", "status_class", func(item) bool { return true }, func(it item) string { return fmt.Sprint(it.Status/100, "xx") }},
		{"status >= 500", "service", func(it item) bool { return it.Status >= 500 }, func(it item) string { return it.Service }},
		{"attributes['n'] > 100", "status", func(it item) bool { return it.Attributes["n"].(int) > 100 }, func(it item) string { return fmt.Sprint(it.Status) }},
		{"service = 'api' AND method = 'GET'", "route", func(it item) bool { return it.Service == "api" && it.Method == http.MethodGet }, func(it item) string { return it.Route }},
	} {
		name := c.filter + " by " + c.by
		query := between(from, to, "buckets", "30", "filter", c.filter)
		if c.by != "" {
			query.Set("by", c.by)
		}
		var got struct {
			From   time.Time `json:"from"`
			StepS  float64   `json:"step_s"`
			Series []struct {
				Key    string `json:"key"`
				Counts []int  `json:"counts"`
			} `json:"series"`
		}
		_, err := stack.Get(t.Context(), "histogram", query, &got)
		require.NoError(t, err, name)
		require.Positive(t, got.StepS, name)
		step := time.Duration(got.StepS * float64(time.Second))
		want := map[string]map[int]int{}
		for _, it := range in {
			if c.match(it) {
				if want[c.key(it)] == nil {
					want[c.key(it)] = map[int]int{}
				}
				want[c.key(it)][int(it.TS.Sub(got.From)/step)]++
			}
		}
		have := map[string]map[int]int{}
		for _, series := range got.Series {
			for i, n := range series.Counts {
				if n != 0 {
					if have[series.Key] == nil {
						have[series.Key] = map[int]int{}
					}
					have[series.Key][i] = n
				}
			}
		}
		assert.Equalf(t, want, have, "histogram where %s, from %s, step %s", name, got.From, step)
	}
}

// checkOverview compares tiles and routes; latencies may be off by the width of
// their bucket, a ninth.
func checkOverview(t *testing.T, stack *harness.Stack, all []item, base time.Time) {
	from, to := window(base)
	in := inside(all, from, to)
	previous := inside(all, from.Add(-to.Sub(from)), from)
	type tile struct {
		Value    *float64 `json:"value"`
		Previous *float64 `json:"previous"`
	}
	var got struct {
		Tiles  map[string]tile `json:"tiles"`
		Routes []struct {
			Service, Method, Route string
			Count, Errors          int
			P50                    float64 `json:"p50_ms"`
		} `json:"routes"`
	}
	_, err := stack.Get(t.Context(), "overview", between(from, to), &got)
	require.NoError(t, err)
	failed := func(it item) bool { return it.Status >= 500 }
	require.NotNil(t, got.Tiles["requests"].Value)
	assert.EqualValues(t, len(in), *got.Tiles["requests"].Value)
	require.NotNil(t, got.Tiles["requests"].Previous)
	assert.EqualValues(t, len(previous), *got.Tiles["requests"].Previous)
	require.NotNil(t, got.Tiles["error_rate"].Value)
	assert.InDelta(t, float64(count(in, failed))/float64(len(in)), *got.Tiles["error_rate"].Value, 1e-6)
	for name, q := range map[string]float64{"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99} {
		require.NotNil(t, got.Tiles[name].Value, name)
		assert.InEpsilon(t, quantile(in, q), *got.Tiles[name].Value, 0.12, name)
	}
	total := 0
	for i, r := range got.Routes {
		same := func(it item) bool { return it.Service == r.Service && it.Method == r.Method && it.Route == r.Route }
		assert.Equal(t, count(in, same), r.Count, "%+v", r)
		assert.Equal(t, count(in, func(it item) bool { return same(it) && failed(it) }), r.Errors, "%+v", r)
		if i > 0 {
			assert.LessOrEqual(t, r.Count, got.Routes[i-1].Count, "busiest first")
		}
		total += r.Count
	}
	assert.Equal(t, len(in), total)
}

func quantile(in []item, q float64) float64 {
	ms := make([]float64, len(in))
	for i, it := range in {
		ms[i] = it.DurationMS
	}
	slices.Sort(ms)
	return ms[int(q*float64(len(ms)-1))]
}

// checkHeatmap wants every request in one cell, in the bucket of its latency.
func checkHeatmap(t *testing.T, stack *harness.Stack, all []item, base time.Time) {
	from, to := window(base)
	in := inside(all, from, to)
	var got struct {
		Buckets []struct {
			Lo float64 `json:"lo_ms"`
			Hi float64 `json:"hi_ms"`
		} `json:"buckets"`
		Cells [][]float64 `json:"cells"`
	}
	_, err := stack.Get(t.Context(), "heatmap", between(from, to, "service", "billing"), &got)
	require.NoError(t, err)
	perBucket := map[int]int{}
	for _, cell := range got.Cells {
		perBucket[int(cell[1])] += int(cell[2])
	}
	for i, b := range got.Buckets {
		want := count(in, func(it item) bool {
			ms := float64(float32(it.DurationMS))
			return it.Service == "billing" && (ms >= b.Lo || i == 0) && ms < b.Hi
		})
		assert.Equalf(t, want, perBucket[i], "requests of %v to %v ms", b.Lo, b.Hi)
	}

	var byRoute struct {
		Routes []struct{ Service, Method, Route string } `json:"routes"`
		Cells  [][]float64                               `json:"cells"`
	}
	_, err = stack.Get(t.Context(), "heatmap", between(from, to, "by", "route"), &byRoute)
	require.NoError(t, err)
	counts, errors := map[int]int{}, map[int]int{}
	for _, cell := range byRoute.Cells {
		counts[int(cell[1])] += int(cell[2])
		errors[int(cell[1])] += int(cell[3])
	}
	require.Len(t, byRoute.Routes, 6)
	for i, r := range byRoute.Routes {
		same := func(it item) bool { return it.Service == r.Service && it.Method == r.Method && it.Route == r.Route }
		assert.Equal(t, count(in, same), counts[i], "%+v", r)
		assert.Equal(t, count(in, func(it item) bool { return same(it) && it.Status >= 500 }), errors[i], "%+v", r)
	}
}
