package reference

import (
	"github.com/trackwayhq/trackway/internal/record"
)

// Route is one of the Routes routes.
type Route struct {
	Service, Method, Template string
	Median                    float64 // of its durations, ms
}

// Routes gives the routes of the set, the busiest first.
func (g *Records) Routes() []Route {
	out := make([]Route, 0, Routes)
	for _, r := range g.catalog.routes {
		out = append(out, Route{r.service, r.method, r.template, r.median})
	}
	return out
}

// User and Account are correlation keys, those with small numbers the busiest.
func (g *Records) User(n int) string { return g.catalog.userIDs[n%users] }

// Account is the account of a user; see User.
func (g *Records) Account(n int) string { return g.catalog.accountOf[n%accounts] }

// Traced gives a request of Main that has spans, the nth of them, and how many
// records its trace has.
func (g *Records) Traced(n int64) (r record.Record, records int) {
	i := n%(g.spec.Rows/spansEvery)*spansEvery + 3
	for isOther(i) {
		i += spansEvery
	}
	r, records = g.Request(i), 1
	g.Related(i, &r, func(*record.Record) { records++ })
	return r, records
}

// Each makes every record of the set but the big trace's, until yield says no.
func (g *Records) Each(yield func(*record.Record) bool) {
	for i := range g.spec.SparseRows() {
		r := g.SparseRequest(i)
		if !yield(&r) {
			return
		}
	}
	for i := range g.spec.Rows {
		r := g.Request(i)
		more := yield(&r)
		g.Related(i, &r, func(related *record.Record) { more = more && yield(related) })
		if !more {
			return
		}
	}
}
