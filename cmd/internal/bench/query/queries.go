package query

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"github.com/trackwayhq/trackway/internal/record"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
)

// Query is a question of the benchmark.
type Query struct {
	Name  string
	About string
	// Target is the greatest p95 in ms, warm, at 100 million requests on two cores;
	// 0 where there is none.
	Target float64
	// Endpoint is the path below a project that must be there.
	Endpoint string
	ask      func(*asker) Ask
}

const day = 24 * time.Hour

// Queries are all of them, in the order of reports.
func Queries() []*Query {
	list := listings()
	list = append(list, rares()...)
	list = append(list, counts()...)
	return append(list, lookups()...)
}

// rows makes a query for the newest rows of Main.
func rows(name, about string, target float64, filter func(*asker) (filter, condition string)) *Query {
	return &Query{Name: name, About: about, Target: target, Endpoint: "requests", ask: func(a *asker) Ask {
		from, to := a.all()
		f, condition := filter(a)
		return rowsOf(reference.Main, from, to, f, condition)
	}}
}

func listings() []*Query {
	return []*Query{
		rows("newest", "newest 100", 35, func(*asker) (string, string) { return "", "" }),
		rows("status-5xx", "newest 100 of status >= 500, all data", 35, func(*asker) (string, string) { return "status >= 500", "status >= 500" }),
		rows("status-exact", "newest 100 of one status, all data", 35, func(a *asker) (string, string) {
			f := fmt.Sprintf("status = %d", pick(a.r, []int{502, 503, 504, 409, 429}))
			return f, f
		}),
		rows("route-slow", "newest 100 of a slow route over 800 ms, all data", 75, func(a *asker) (string, string) {
			return routeOver(a, func(r reference.Route) bool { return r.Median > 150 }, 800)
		}),
		rows("route-slow-rare", "newest 100 of a fast route over 800 ms, few everywhere", 150, func(a *asker) (string, string) {
			return routeOver(a, func(r reference.Route) bool { return r.Median > 40 && r.Median < 100 }, 800)
		}),
		rows("plan-errors", "newest 100 of an attribute's value and status >= 400", 50, func(a *asker) (string, string) {
			plan := pick(a.r, []string{"enterprise", "business"})
			return fmt.Sprintf("attributes['plan'] = '%s' AND status >= 400", plan), fmt.Sprintf("attributes['plan'] = '%s' AND status >= 400", plan)
		}),
		rows("user-5xx", "user_id:u_… status:5xx", 50, func(a *asker) (string, string) {
			user := a.records.User(1100 + a.r.IntN(200))
			return "user_id:" + user + " status:5xx", fmt.Sprintf("correlation['user_id'] = '%s' AND status >= 500 AND status < 600", user)
		}),
		rows("account", "newest 100 of a common account", 50, func(a *asker) (string, string) {
			f := fmt.Sprintf("correlation['account_id'] = '%s'", a.records.Account(100+a.r.IntN(20)))
			return f, f
		}),
		{Name: "projects", About: "newest 100 of each of 1,000 small projects", Target: 35, Endpoint: "requests", ask: func(a *asker) Ask {
			from, to := a.whole()
			n := a.r.IntN(reference.Others)
			ask := rowsOf(reference.OtherProject(n), from, to, "", "")
			ask.Want = min(100, a.spec.OtherRows(n))
			return ask
		}},
		{Name: "sparse-newest", About: "newest 100 of a project with few requests in 90 daily partitions", Target: 35, Endpoint: "requests", ask: func(a *asker) Ask {
			return rowsOf(reference.Sparse, a.spec.SparseStart(), a.recent(), "", "")
		}},
		{Name: "sparse-5xx", About: "status >= 500 of that project, 90 days", Target: 150, Endpoint: "requests", ask: func(a *asker) Ask {
			return rowsOf(reference.Sparse, a.spec.SparseStart(), a.recent(), "status >= 500", "status >= 500")
		}},
	}
}

// routeOver filters by one of some routes and a duration.
func routeOver(a *asker, which func(reference.Route) bool, ms int) (filter, condition string) {
	var list []reference.Route
	for _, r := range a.records.Routes() {
		if which(r) {
			list = append(list, r)
		}
	}
	route := quoted(pick(a.r, list).Template)
	ms += a.r.IntN(20)
	return fmt.Sprintf("route = %s AND duration_ms > %d", route, ms), fmt.Sprintf("route = %s AND duration > %d000000", route, ms)
}

// rares are filters that match few requests over the whole time, or none.
func rares() []*Query {
	rare := func(name, about string, target float64, hits int64, filter func(a *asker, n int) (filter, condition string)) *Query {
		return &Query{Name: name, About: about, Target: target, Endpoint: "requests", ask: func(a *asker) Ask {
			from, to := a.whole()
			f, condition := filter(a, a.r.IntN(reference.Rares))
			ask := rowsOf(reference.Main, from, to, f, condition)
			ask.Want = hits
			return ask
		}}
	}
	text := func(phrase string) (string, string) {
		return `"` + phrase + `"`, fmt.Sprintf("route ILIKE '%%%s%%' OR name ILIKE '%%%s%%' OR error_type ILIKE '%%%s%%' OR error_message ILIKE '%%%s%%'", phrase, phrase, phrase, phrase)
	}
	return []*Query{
		rare("rare-status", "a status of 50 requests", 150, reference.RareHits, func(_ *asker, n int) (string, string) {
			f := fmt.Sprintf("status = %d", reference.RareStatus(n))
			return f, f
		}),
		rare("rare-attribute", "an attribute's value of 50 requests", 150, reference.RareHits, func(_ *asker, n int) (string, string) {
			f := fmt.Sprintf("attributes['experiment'] = '%s'", reference.RareExperiment(n))
			return f, f
		}),
		rare("rare-key", "a correlation key's value of 50 requests", 50, reference.RareHits, func(_ *asker, n int) (string, string) {
			return "order_id:" + reference.RareOrder(n), fmt.Sprintf("correlation['order_id'] = '%s'", reference.RareOrder(n))
		}),
		rare("free-text", "a text in 50 error messages", 150, reference.RareHits, func(_ *asker, n int) (string, string) { return text(reference.RareText(n)) }),
		rare("free-text-none", "a text that is nowhere", 150, 0, func(a *asker, n int) (string, string) { return text(fmt.Sprintf("shard %d melted", 100+a.r.IntN(900))) }),
		rare("empty-status", "a status that does not occur", 150, 0, func(a *asker, n int) (string, string) {
			f := fmt.Sprintf("status = %d", 520+a.r.IntN(79))
			return f, f
		}),
		rare("empty-attribute", "an attribute's value that does not occur", 150, 0, func(a *asker, n int) (string, string) {
			f := fmt.Sprintf("attributes['plan'] = 'trial-%d'", a.r.IntN(1000))
			return f, f
		}),
		rare("empty-key", "a user that does not exist", 50, 0, func(a *asker, n int) (string, string) {
			user := fmt.Sprintf("u_none_%d", a.r.IntN(1000))
			return "user_id:" + user, fmt.Sprintf("correlation['user_id'] = '%s'", user)
		}),
		rare("empty-combination", "a route and a duration that do not come together", 150, 0, func(a *asker, n int) (string, string) {
			return routeOver(a, func(r reference.Route) bool { return r.Median < 30 }, 600_000)
		}),
		rows("free-text-common", "newest 100 with a common text", 150, func(a *asker) (string, string) {
			return text(pick(a.r, []string{"timed out", "deadlock", "quota exceeded"}))
		}),
	}
}

// counts are the queries that count.
func counts() []*Query {
	return []*Query{
		{Name: "histogram-5xx", About: "status >= 500 over time, all data", Target: 15, Endpoint: "histogram", ask: func(a *asker) Ask {
			from, to := a.all()
			return figures("histogram", histogramShape, from, to, "status >= 500", nil,
				"SELECT toStartOfInterval(ts, INTERVAL 6 HOUR) AS t, count() FROM trackway.requests WHERE {where} AND status >= 500 GROUP BY t ORDER BY t")
		}},
		{Name: "histogram-24h", About: "everything over time by status class, 24 h", Target: 15, Endpoint: "histogram", ask: func(a *asker) Ask {
			from, to := a.window(day)
			return figures("histogram", histogramShape, from, to, "", url.Values{"by": {"status_class"}},
				"SELECT toStartOfInterval(ts, INTERVAL 30 MINUTE) AS t, intDiv(status, 100) AS c, count() FROM trackway.requests WHERE {where} GROUP BY t, c ORDER BY t")
		}},
		{Name: "groups-route", About: "by route with p50, p95, p99, all data", Target: 35, Endpoint: "groups", ask: func(a *asker) Ask {
			from, to := a.all()
			return figures("groups", groupsShape, from, to, "", url.Values{"by": {"route"}, "metrics": {"count,p50,p95,p99"}},
				"SELECT route, count(), quantiles(0.5, 0.95, 0.99)(duration) FROM trackway.requests WHERE {where} GROUP BY route ORDER BY count() DESC LIMIT 100")
		}},
		{Name: "facets-24h", About: "values of status, route, service, 24 h", Target: 15, Endpoint: "facets", ask: func(a *asker) Ask {
			from, to := a.window(day)
			return figures("facets", facetsShape, from, to, "", url.Values{"fields": {"status,route,service"}},
				"SELECT topK(10)(status), topK(10)(route), topK(10)(service), count() FROM trackway.requests WHERE {where}")
		}},
		{Name: "overview-60m", About: "tiles and routes, 60 minutes, with those before", Target: 12, Endpoint: "overview", ask: func(a *asker) Ask {
			from, to := a.window(time.Hour)
			return figures("overview", overviewShape, from, to, "", nil,
				"SELECT service, method, route, count(), countIf(status >= 500), quantiles(0.5, 0.95, 0.99)(duration) FROM trackway.requests WHERE {where} GROUP BY service, method, route")
		}},
		{Name: "heatmap-24h", About: "latency over time, 24 h", Target: 25, Endpoint: "heatmap", ask: func(a *asker) Ask {
			from, to := a.window(day)
			return figures("heatmap", otherShape, from, to, "", nil,
				"SELECT toStartOfInterval(ts, INTERVAL 15 MINUTE) AS t, bitShiftRight(reinterpretAsUInt32(duration_ms), 20) AS b, count() FROM trackway.requests WHERE {where} GROUP BY t, b")
		}},
		{Name: "heatmap-route-24h", About: "latency of one route over time, 24 h", Target: 25, Endpoint: "heatmap", ask: func(a *asker) Ask {
			from, to := a.window(day)
			route := pick(a.r, a.records.Routes()).Template
			return figures("heatmap", otherShape, from, to, "", url.Values{"route": {route}},
				"SELECT toStartOfInterval(ts, INTERVAL 15 MINUTE) AS t, bitShiftRight(reinterpretAsUInt32(duration_ms), 20) AS b, count() FROM trackway.requests WHERE {where} AND route = "+quoted(route)+" GROUP BY t, b")
		}},
		{Name: "heatmap-routes-24h", About: "all routes over time, 24 h", Target: 60, Endpoint: "heatmap", ask: func(a *asker) Ask {
			from, to := a.window(day)
			return figures("heatmap", otherShape, from, to, "", url.Values{"by": {"route"}, "routes": {"60"}},
				"SELECT toStartOfInterval(ts, INTERVAL 15 MINUTE) AS t, route, count(), quantile(0.95)(duration) FROM trackway.requests WHERE {where} GROUP BY t, route")
		}},
		{Name: "compare-24h", About: "what sets errors apart, 24 h", Target: 2000, Endpoint: "compare", ask: func(a *asker) Ask {
			from, to := a.window(day)
			return figures("compare", otherShape, from, to, "", url.Values{"select": {"status >= 500"}}, "")
		}},
		{Name: "errors", About: "error groups, all data", Target: 10, Endpoint: "errors", ask: func(a *asker) Ask {
			from, to := a.all()
			return figures("errors", otherShape, from, to, "", nil,
				"SELECT error_group, any(error_type), min(ts), max(ts), count() FROM trackway.requests WHERE {where} AND error_group != 0 GROUP BY error_group ORDER BY max(ts) DESC LIMIT 100")
		}},
	}
}

// lookups are the queries that start from an id or a key.
func lookups() []*Query {
	byTrace := func(id [16]byte, table string) string {
		return fmt.Sprintf("SELECT * FROM trackway.%s WHERE project = '%s' AND trace_id = unhex('%x')", table, reference.Main, id)
	}
	return []*Query{
		{Name: "journey-request", About: "journey of a request id", Target: 50, Endpoint: "journeys/{key}/{value}", ask: func(a *asker) Ask {
			r, _ := a.records.Traced(a.r.Int64())
			return a.journey("request_id", r.RequestID)
		}},
		{Name: "journey-rare", About: "journey of an order of 50 requests", Target: 50, Endpoint: "journeys/{key}/{value}", ask: func(a *asker) Ask {
			return a.journey("order_id", reference.RareOrder(a.r.IntN(reference.Rares)))
		}},
		{Name: "journey-busy", About: "first page of the journey of a busy user", Target: 50, Endpoint: "journeys/{key}/{value}", ask: func(a *asker) Ask {
			return a.journey("user_id", a.records.User(a.r.IntN(20)))
		}},
		{Name: "journey-common", About: "first page of the journey of a common account", Target: 50, Endpoint: "journeys/{key}/{value}", ask: func(a *asker) Ask {
			return a.journey("account_id", a.records.Account(100+a.r.IntN(20)))
		}},
		{Name: "trace", About: "a trace by its id", Target: 15, Endpoint: "traces/{trace_id}", ask: func(a *asker) Ask {
			r, records := a.records.Traced(a.r.Int64())
			return Ask{
				Project: reference.Main, Path: "traces/" + hex.EncodeToString(r.TraceID[:]), Shape: traceShape, Want: int64(records),
				SQL: byTrace(r.TraceID, "requests"),
			}
		}},
		{Name: "request", About: "a request by its id", Target: 20, Endpoint: "requests/{id}", ask: func(a *asker) Ask {
			r, _ := a.records.Traced(a.r.Int64())
			return Ask{
				Project: reference.Main, Path: "requests/" + idOf(&r), Shape: recordShape, Want: 1,
				SQL: fmt.Sprintf("SELECT * FROM trackway.requests WHERE project = '%s' AND request_id = '%s'", reference.Main, r.RequestID),
			}
		}},
		{Name: "trace-stream", About: "first bytes of a trace of 100,000 spans", Target: 300, Endpoint: "traces/{trace_id}", ask: func(a *asker) Ask {
			id := a.records.BigTrace()
			return Ask{
				Project: reference.Main, Path: "traces/" + hex.EncodeToString(id[:]), Params: url.Values{"format": {"ndjson"}},
				Shape: streamShape, Want: a.spec.BigTraceSpans(), SQL: byTrace(id, "spans"),
			}
		}},
	}
}

// idOf is the id of a record in the API.
func idOf(r *record.Record) string { return r.ID().String() }
