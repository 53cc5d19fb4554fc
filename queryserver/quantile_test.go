package queryserver

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trackwayhq/trackway/internal/schema"
)

// A quantile from buckets lies in the bucket of the true one, however the
// latencies are spread.
func TestQuantilesStayInTheirBucket(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + r.IntN(300)
		durations := make([]uint64, n)
		byBucket := map[uint8]uint64{}
		for i := range durations {
			durations[i] = uint64(r.ExpFloat64() * 1e7)
			if r.IntN(3) == 0 {
				durations[i] *= 1000 // a second hump, far away
			}
			byBucket[schema.Bucket(durations[i])]++
		}
		slices.Sort(durations)
		var counts []latencyCount
		for b := range 256 {
			if c := byBucket[uint8(b)]; c > 0 {
				counts = append(counts, latencyCount{uint8(b), c})
			}
		}
		ranks := []float64{0.5, 0.95, 0.99, 1}
		for i, q := range quantiles(counts, ranks...) {
			// The request of rank k is the ceil(k n)th.
			at := int(ranks[i]*float64(n)+0.9999999) - 1
			lo, hi := schema.BucketBounds(schema.Bucket(durations[min(at, n-1)]))
			if q < float64(lo) || q > float64(hi) {
				t.Fatalf("rank %v of %d: %v ms, outside the bucket %v to %v", ranks[i], n, q, lo, hi)
			}
		}
	}
}

func TestQuantilesWithoutRequests(t *testing.T) {
	if q := quantiles(nil, 0.5); q != nil {
		t.Errorf("got %v of nothing", q)
	}
}
