package query

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
)

// Ask is a query with its literals: what the API is asked, and what of the store
// without the planner would answer it.
type Ask struct {
	Project string
	Path    string // below the project
	Params  url.Values
	Shape   shape
	// SQL asks the rows of the three tables; "" where they cannot be asked.
	SQL string
	// Want is how many hits there are; unknown where only a look at the whole set
	// can tell (see verify.go), and then Filter or Key and Value, From and To say
	// what to look for.
	Want       int64
	Filter     string
	Key, Value string // of a journey
	From, To   time.Time
}

// unknown is how many hits nobody counted.
const unknown = -1

// asker draws literals, so that no cache can know an answer.
type asker struct {
	spec    reference.Spec
	records *reference.Records
	r       *rand.Rand
	// end is the end of all data: of the set, or now while something is ingested.
	end time.Time
	// jitter is how far before it windows may end, so that no two are the same.
	jitter time.Duration
}

// How far before the end of all data windows may end. Under ingest they reach into
// what is being stored.
const (
	aloneJitter  = 6 * time.Hour
	ingestJitter = time.Minute
)

// recent is a moment shortly before the end of all data.
func (a *asker) recent() time.Time {
	return a.end.Add(-time.Duration(a.r.Int64N(int64(a.jitter)))).Truncate(time.Millisecond)
}

// window gives the span of so long before a recent moment.
func (a *asker) window(span time.Duration) (from, to time.Time) {
	to = a.recent()
	return to.Add(-span), to
}

// all is the time from the beginning until a recent moment.
func (a *asker) all() (from, to time.Time) { return a.spec.Start(), a.recent() }

// whole is all there is.
func (a *asker) whole() (from, to time.Time) { return a.spec.Start(), a.end }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// rfc is a time as the API takes it.
func rfc(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// quoted is a string as SQL and filters have it; none of ours has quotes in it.
func quoted(s string) string { return "'" + s + "'" }

// between is the condition on project and time in SQL.
func between(project string, from, to time.Time) string {
	return fmt.Sprintf("project = %s AND ts >= fromUnixTimestamp64Nano(%d, 'UTC') AND ts < fromUnixTimestamp64Nano(%d, 'UTC')", quoted(project), from.UnixNano(), to.UnixNano())
}

// rowsOf asks for the newest rows that match; condition is the filter as SQL.
func rowsOf(project string, from, to time.Time, filter, condition string) Ask {
	if condition == "" {
		condition = "1"
	}
	params := url.Values{"from": {rfc(from)}, "to": {rfc(to)}, "limit": {fmt.Sprint(pageRows)}}
	if filter != "" {
		params.Set("filter", filter)
	}
	return Ask{
		Project: project, Path: "requests", Params: params, Shape: rowsShape, Want: unknown, Filter: filter, From: from, To: to,
		SQL: fmt.Sprintf("SELECT * FROM trackway.requests WHERE %s AND (%s) ORDER BY ts DESC, rid DESC LIMIT %d", between(project, from, to), condition, pageRows),
	}
}

// figures asks what counts over a window.
func figures(path string, s shape, from, to time.Time, filter string, params url.Values, sql string) Ask {
	if params == nil {
		params = url.Values{}
	}
	params.Set("from", rfc(from))
	params.Set("to", rfc(to))
	if filter != "" {
		params.Set("filter", filter)
	}
	return Ask{
		Project: reference.Main, Path: path, Params: params, Shape: s, Want: unknown, Filter: filter, From: from, To: to,
		SQL: strings.ReplaceAll(sql, "{where}", between(reference.Main, from, to)),
	}
}

// Rows of a page of a listing, and of a journey.
const (
	pageRows    = 100
	journeyRows = 500
)

// journey asks for the first page of one.
func (a *asker) journey(key, value string) Ask {
	from, to := a.whole()
	return Ask{
		Project: reference.Main, Path: "journeys/" + key + "/" + value, Shape: journeyShape, Want: unknown, Key: key, Value: value, From: from, To: to,
		Params: url.Values{"from": {rfc(from)}, "to": {rfc(to)}, "limit": {fmt.Sprint(journeyRows)}},
		SQL: fmt.Sprintf("SELECT ts, rid, service, method, route, status, duration FROM trackway.requests WHERE %s AND correlation[%s] = %s ORDER BY ts, rid LIMIT %d",
			between(reference.Main, from, to), quoted(key), quoted(value), journeyRows),
	}
}
