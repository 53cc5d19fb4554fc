package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// kind of an item.
type kind uint8

const (
	request kind = iota
	span
	event
)

// item is one item before its encoding. Times and identifiers come with Stamp.
type item struct {
	kind   kind
	place  int // within its trace; the request is 0
	route  *route
	name   string // of a span or an event
	status int
	micros int64 // duration in µs

	plan, region, cache string // attributes
	account, user       string // correlation keys; the third is the request id
}

// route is one of the sixty routes of six services.
type route struct {
	service, method, template, path string
	median                          float64 // ms
}

// The catalog. Names are of the sizes that real ones have.
var (
	services  = []string{"web-api", "billing-api", "search-api", "files-api", "identity-api", "reports-api"}
	resources = []string{"projects", "tasks", "invoices", "members", "comments", "uploads", "webhooks", "exports", "sessions", "settings"}
	methods   = []string{"GET", "GET", "GET", "POST", "PATCH"}
	spanNames = []string{"SELECT tasks", "redis GET", "POST payments.example", "publish audit.events", "SELECT accounts", "s3 GetObject"}
	eventName = []string{"order.paid", "cache.miss", "retry", "login"}
	plans     = []string{"free", "team", "business", "enterprise"}
	regions   = []string{"eu-west-1", "eu-north-1", "us-east-1", "us-west-2", "ap-south-1", "sa-east-1"}
	caches    = []string{"hit", "miss", "stale"}
)

// Sizes of the populations that correlation keys are drawn from. User 1 is as
// busy as Zipf's law makes it.
const (
	accounts = 2_000
	users    = 20_000
)

// generator makes items. The same seed makes the same items.
type generator struct {
	r         *rand.Rand
	routes    []route
	popular   *rand.Zipf
	customers *rand.Zipf
	mix       Mix

	order []kind // kinds of the items of one trace
	next  int    // place within the current trace
	trace item   // what the items of the current trace share
}

func newGenerator(seed uint64, mix Mix) *generator {
	r := rand.New(rand.NewPCG(seed, 0x747261636b776179))
	g := &generator{r: r, mix: mix.normal(), customers: rand.NewZipf(r, 1.1, 8, users-1)}
	for _, service := range services {
		for i, resource := range resources {
			g.routes = append(g.routes, route{
				service: service, method: methods[(i+len(g.routes))%len(methods)],
				template: "/v1/" + resource + "/:id", path: "/v1/" + resource + "/",
				median: math.Exp(r.Float64()*4 + 1),
			})
		}
	}
	g.popular = rand.NewZipf(r, 1.2, 4, uint64(len(g.routes)-1))
	for range g.mix.Requests {
		g.order = append(g.order, request)
	}
	for range g.mix.Spans {
		g.order = append(g.order, span)
	}
	for range g.mix.Events {
		g.order = append(g.order, event)
	}
	return g
}

// item makes the next item and says whether it begins a trace.
func (g *generator) item() (it item, begins bool) {
	begins = g.next == 0
	if begins {
		g.begin()
	}
	it = g.trace
	it.place, it.kind = g.next, g.order[g.next]
	switch it.kind {
	case request:
	case span:
		it.name = spanNames[g.r.IntN(len(spanNames))]
		it.micros = 1 + it.micros*int64(g.r.IntN(90))/100
	case event:
		it.name = eventName[g.r.IntN(len(eventName))]
	}
	g.next = (g.next + 1) % len(g.order)
	return it, begins
}

// begin draws what the items of a trace have in common.
func (g *generator) begin() {
	r := g.r
	rt := &g.routes[g.popular.Uint64()]
	customer := g.customers.Uint64()
	status := 200
	switch p := r.Float64(); {
	case p < 0.01:
		status = 500
	case p < 0.04:
		status = 404
	case rt.method == "POST":
		status = 201
	}
	g.trace = item{
		route: rt, status: status, micros: 1 + int64(1000*rt.median*math.Exp(0.6*r.NormFloat64())),
		plan: plans[customer%uint64(len(plans))], region: regions[r.IntN(len(regions))], cache: caches[r.IntN(len(caches))],
		account: fmt.Sprintf("acc_%04d", customer%accounts), user: fmt.Sprintf("u_%05d", customer),
	}
}

// pathID is the number that stands in for a route's parameter: it differs between
// items, but not between the rounds of a body.
func (g *generator) pathID() int { return 1 + int(g.r.ExpFloat64()*900) }
