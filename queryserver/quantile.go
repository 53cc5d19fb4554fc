package queryserver

import (
	"cmp"
	"slices"

	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// latencyCount is how many requests fell into a stored latency bucket.
type latencyCount struct {
	bucket uint8
	count  uint64
}

// readLatencies reads two arrays, buckets and counts, and adds up what a bucket
// was given more than once.
func readLatencies(r *clickhouse.Reader) []latencyCount {
	out := make([]latencyCount, r.Len())
	for i := range out {
		out[i].bucket = r.Uint8()
	}
	n := r.Len()
	for i := range n {
		if count := r.Uint64(); i < len(out) {
			out[i].count = count
		}
	}
	slices.SortFunc(out, func(a, b latencyCount) int { return cmp.Compare(a.bucket, b.bucket) })
	last := 0
	for i := 1; i < len(out); i++ {
		if out[i].bucket == out[last].bucket {
			out[last].count += out[i].count
			continue
		}
		last++
		out[last] = out[i]
	}
	return out[:min(len(out), last+1)]
}

// quantiles gives the latencies in ms at ranks between 0 and 1, nil without
// requests. Each is in the bucket that holds the request of that rank, so it is
// off by no more than the bucket's width, an eighth of an octave; within the
// bucket requests count as spread evenly.
func quantiles(counts []latencyCount, ranks ...float64) []float64 {
	var total uint64
	for _, c := range counts {
		total += c.count
	}
	if total == 0 {
		return nil
	}
	out := make([]float64, len(ranks))
	for i, rank := range ranks {
		out[i] = quantile(counts, rank*float64(total))
	}
	return out
}

// quantile gives the latency that so many requests stay below.
func quantile(counts []latencyCount, below float64) float64 {
	var before float64
	for i, c := range counts {
		n := float64(c.count)
		if before+n >= below && n > 0 || i == len(counts)-1 {
			lo, hi := schema.BucketBounds(c.bucket)
			return float64(lo) + float64(hi-lo)*min((below-before)/n, 1)
		}
		before += n
	}
	return 0
}
