package columns

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// traffic makes requests as benchmarks send them: sixty routes of six services,
// three attributes, three correlation keys, a trace and a request id each.
type traffic struct {
	*rand.Rand
	customers, popular *rand.Zipf
	rec                record.Record
	attributes         [3]record.Pair
	correlation        [3]record.Pair
	facets             [3]string
}

func newTraffic(seed uint64) *traffic {
	r := rand.New(rand.NewPCG(seed, 1))
	return &traffic{Rand: r, customers: rand.NewZipf(r, 1.1, 8, 19_999), popular: rand.NewZipf(r, 1.2, 4, 59)}
}

var (
	trafficServices = []string{"web-api", "billing-api", "search-api", "files-api", "identity-api", "reports-api"}
	trafficPlans    = []string{"free", "team", "business", "enterprise"}
	trafficRegions  = []string{"eu-west-1", "eu-north-1", "us-east-1", "us-west-2", "ap-south-1", "sa-east-1"}
	trafficCaches   = []string{"hit", "miss", "stale"}
	trafficRoutes   = func() (routes []string) {
		for i := range 60 {
			routes = append(routes, fmt.Sprintf("/v1/resource%d/:id", i))
		}
		return routes
	}()
	trafficMethods = []string{"GET", "GET", "GET", "POST", "PATCH"}
	trafficFacets  = func() map[string]string {
		m := map[string]string{}
		for key, values := range map[string][]string{"plan": trafficPlans, "region": trafficRegions, "cache": trafficCaches} {
			for _, v := range values {
				m[v] = key + "=" + v
			}
		}
		return m
	}()
)

// next gives the next request, which the one after it overwrites.
func (g *traffic) next(ts time.Time) *record.Record {
	route := g.popular.Uint64()
	customer := g.customers.Uint64()
	status := uint16(200)
	switch p := g.Float64(); {
	case p < 0.01:
		status = 500
	case p < 0.04:
		status = 404
	}
	id := fmt.Sprintf("req-%016x", g.Uint64())
	plan, region, cache := trafficPlans[customer%4], trafficRegions[g.IntN(6)], trafficCaches[g.IntN(3)]
	g.attributes = [3]record.Pair{{Key: "plan", Value: plan}, {Key: "region", Value: region}, {Key: "cache", Value: cache}}
	g.correlation = [3]record.Pair{{Key: "account_id", Value: fmt.Sprintf("acc_%04d", customer%2000)}, {Key: "user_id", Value: fmt.Sprintf("u_%05d", customer)}, {Key: "request_id", Value: id}}
	g.facets = [3]string{trafficFacets[plan], trafficFacets[region], trafficFacets[cache]}
	g.rec = record.Record{
		Kind: record.Request, Project: "default", Time: ts, RID: g.Uint64(), Service: trafficServices[route/10], Env: "prod", Release: "v1.4.2",
		Name: trafficMethods[route%5] + " " + trafficRoutes[route], SpanKind: "http", Method: trafficMethods[route%5], Route: trafficRoutes[route],
		Path: fmt.Sprintf("/v1/resource%d/%d", route, g.IntN(4000)), Status: status, SpanStatus: "unset",
		Duration: uint64(1e6 * math.Exp(2+g.NormFloat64())), RequestID: id, UserAgent: "Mozilla/5.0 (X11; Linux x86_64)", ClientIP: "10.1.2.3",
		RequestBytes: 310, ResponseBytes: uint64(g.IntN(5000)), Attributes: g.attributes[:], Correlation: g.correlation[:], FacetItems: g.facets[:],
		Weight: 256, TTLDays: 30,
	}
	binary.LittleEndian.PutUint64(g.rec.TraceID[:], g.Uint64())
	binary.LittleEndian.PutUint64(g.rec.TraceID[8:], g.Uint64())
	binary.LittleEndian.PutUint64(g.rec.SpanID[:], g.Uint64())
	return &g.rec
}

// batch fills b with a delivery of n requests that end now.
func (g *traffic) batch(b *Batch, n int, end time.Time) *Batch {
	for i := range n {
		b.BeginItem("default")
		b.Append(g.next(end.Add(time.Duration(i-n) * 10 * time.Microsecond)))
	}
	return b
}
