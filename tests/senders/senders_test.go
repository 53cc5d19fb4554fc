package senders_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/tests/harness"
	"github.com/trackwayhq/trackway/tests/senders/spanfile"
)

// arrival is how long stored data may take to be readable before the test gives
// up; nothing is measured by it.
const arrival = 60 * time.Second

// TestSenders drives both services with real requests and compares, span by
// span, what their SDKs recorded with what the API answers.
func TestSenders(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		t.Run("go over "+protocol, func(t *testing.T) {
			stack := harness.StartStack(t)
			tail := stack.OpenTail(t, "")
			failures := stack.OpenTail(t, "status >= 500 AND type = 'request'")
			node := startNode(t, stack)
			golang := startGo(t, stack, protocol, node.url)

			drive(t, golang, node)
			spans := append(golang.finish(t), node.finish(t)...)
			stored := waitForAll(t, stack, spans)

			for _, want := range spans {
				compareSpan(t, want, stored[want.SpanID])
			}
			t.Run("count", func(t *testing.T) { checkCounts(t, stack, spans) })
			t.Run("events", func(t *testing.T) { checkEvents(t, stack, spans) })
			t.Run("routes", func(t *testing.T) { checkRoutes(t, spans, stored) })
			t.Run("errors", func(t *testing.T) { checkErrors(t, stack, spans, stored) })
			t.Run("traces", func(t *testing.T) { checkTraces(t, stack, spans) })
			t.Run("filters", func(t *testing.T) { checkFilters(t, stack, spans) })
			t.Run("correlation", func(t *testing.T) { checkCorrelation(t, stack) })
			t.Run("tail", func(t *testing.T) { checkTail(t, tail, spans, stored) })
			t.Run("filtered tail", func(t *testing.T) { checkFilteredTail(t, failures) })
		})
	}
}

// drive sends the requests whose traces are compared.
func drive(t *testing.T, golang, node *service) {
	t.Helper()
	for i := range 5 {
		id := strconv.Itoa(i)
		golang.call(t, http.MethodGet, "/projects/"+id+"/tasks?user=u_1137", "", http.StatusOK)
		golang.call(t, http.MethodPost, "/orders/o_"+id+"?user=u_1137", `{"amount":12.75}`, http.StatusCreated)
		golang.call(t, http.MethodPost, "/messages/o_"+id, "", http.StatusAccepted)
		golang.call(t, http.MethodPost, "/rpc/o_"+id, "", http.StatusNoContent)
		golang.call(t, http.MethodGet, "/legacy/"+id, "", http.StatusNoContent)
		node.call(t, http.MethodGet, "/users/u_"+id, "", http.StatusOK)
	}
	golang.call(t, http.MethodGet, "/fail/o_9", "", http.StatusInternalServerError)
	golang.call(t, http.MethodGet, "/legacy/no/such/path", "", http.StatusNotFound)
	node.call(t, http.MethodGet, "/fail/o_9", "", http.StatusInternalServerError)
	node.call(t, http.MethodGet, "/no/such/path", "", http.StatusNotFound)
}

// waitForAll waits until the API lists every recorded span, then gives the
// records of requests and spans by span id.
func waitForAll(t *testing.T, stack *harness.Stack, spans []spanfile.Span) map[string]record.JSON {
	t.Helper()
	stored := map[string]record.JSON{}
	var problem error
	all := func() bool {
		clear(stored)
		for _, table := range []string{"requests", "spans"} {
			rows, err := stack.TryList(table, "")
			if err != nil {
				problem = err
				return false
			}
			for _, r := range rows {
				stored[r.SpanID] = r
			}
		}
		for _, want := range spans {
			if _, ok := stored[want.SpanID]; !ok {
				problem = fmt.Errorf("span %s (%s %q) is not there, %d of %d are", want.SpanID, want.Kind, want.Name, len(stored), len(spans))
				return false
			}
		}
		return true
	}
	if !assert.Eventually(t, all, arrival, 100*time.Millisecond) {
		t.Fatal("what the SDKs recorded did not all arrive: ", problem)
	}
	return stored
}

// checkCounts wants each span stored once, and nothing besides.
func checkCounts(t *testing.T, stack *harness.Stack, spans []spanfile.Span) {
	requests := 0
	for _, s := range spans {
		if isRequest(s) {
			requests++
		}
	}
	assert.Len(t, stack.List(t, "requests", ""), requests, "requests")
	assert.Len(t, stack.List(t, "spans", ""), len(spans)-requests, "spans")
}

func checkEvents(t *testing.T, stack *harness.Stack, spans []spanfile.Span) {
	events := stack.List(t, "events", "")
	for _, s := range spans {
		compareEvents(t, s, events)
	}
}

// checkRoutes wants a sent route verbatim, the template of the span's name where
// otelhttp sent none, and never a path with an id as a route.
func checkRoutes(t *testing.T, spans []spanfile.Span, stored map[string]record.JSON) {
	legacy := 0
	for _, s := range spans {
		if !isRequest(s) {
			continue
		}
		got := stored[s.SpanID].Route
		if route, ok := s.Attributes["http.route"].(string); ok {
			assert.Equalf(t, route, got, "route of %s", s.Name)
		}
		if s.Name == "GET /legacy/{id}" {
			legacy++
			assert.Equal(t, "/legacy/{id}", got, "route of a span that has its template only in its name")
		}
	}
	assert.Equal(t, 5, legacy)
}

// checkErrors wants the exception on the request that failed, with type, message
// and stack.
func checkErrors(t *testing.T, stack *harness.Stack, spans []spanfile.Span, stored map[string]record.JSON) {
	seen := 0
	for _, s := range spans {
		for _, e := range s.Events {
			if e.Name != "exception" {
				continue
			}
			seen++
			got := stored[s.SpanID]
			assert.Equal(t, e.Attributes["exception.type"], got.ErrorType)
			assert.Equal(t, e.Attributes["exception.message"], got.ErrorMessage)
			assert.Equal(t, e.Attributes["exception.stacktrace"], got.ErrorStack)
			assert.NotEmpty(t, got.ErrorGroup, "an error belongs to a group")
		}
	}
	assert.GreaterOrEqual(t, seen, 2, "both services recorded an exception")
	failed := stack.List(t, "requests", "status = 500")
	assert.Len(t, failed, 2, "one failed request of each service")
	for _, r := range failed {
		assert.Equal(t, "error", r.SpanStatus)
	}
}

// checkTraces reads every trace by id and wants exactly its spans; one of them
// must run through both services.
func checkTraces(t *testing.T, stack *harness.Stack, spans []spanfile.Span) {
	byTrace := map[string]map[string]bool{}
	services := map[string]map[any]bool{}
	for _, s := range spans {
		if byTrace[s.TraceID] == nil {
			byTrace[s.TraceID], services[s.TraceID] = map[string]bool{}, map[any]bool{}
		}
		byTrace[s.TraceID][s.SpanID] = true
		services[s.TraceID][s.Resource["service.name"]] = true
	}
	crossing := 0
	for id, want := range byTrace {
		trace := stack.GetTrace(t, id)
		got := map[string]bool{}
		last := ""
		for _, r := range trace.Records {
			assert.Equal(t, id, r.TraceID)
			at, err := time.Parse(time.RFC3339Nano, r.Time)
			require.NoError(t, err)
			now := at.Format("2006-01-02T15:04:05.000000000")
			assert.LessOrEqual(t, last, now, "records of a trace are in time order")
			last = now
			if r.Type != "event" {
				got[r.SpanID] = true
			}
		}
		assert.Equalf(t, want, got, "spans of trace %s", id)
		assert.False(t, trace.Truncated)
		if len(services[id]) == 2 {
			crossing++
		}
	}
	assert.Equal(t, 5, crossing, "traces that ran from the Go service into the Node service")
}

// checkFilters finds requests by status, route, attribute and trace, and by id.
func checkFilters(t *testing.T, stack *harness.Stack, spans []spanfile.Span) {
	count := func(match func(spanfile.Span) bool) int {
		n := 0
		for _, s := range spans {
			if isRequest(s) && match(s) {
				n++
			}
		}
		return n
	}
	attribute := func(key string, value any) func(spanfile.Span) bool {
		return func(s spanfile.Span) bool { return s.Attributes[key] == value }
	}
	for _, c := range []struct {
		filter string
		want   int
	}{
		{"route = '/projects/{id}/tasks'", count(attribute("http.route", "/projects/{id}/tasks"))},
		{"route = '/users/:userId' AND status = 200", count(attribute("http.route", "/users/:userId"))},
		{"status = 201", 10},
		{"status >= 400 AND status < 500 AND kind = 'http'", 2},
		{"service = 'node-shop' AND status = 500", 1},
		{"attributes['plan'] = 'enterprise'", count(attribute("plan", "enterprise"))},
		{"kind = 'messaging'", 5},
		{"kind = 'rpc'", 5},
		{"trace_id = " + harness.Literal(spans[0].TraceID), count(func(s spanfile.Span) bool { return s.TraceID == spans[0].TraceID })},
		{"method = 'GET' AND service = 'go-shop' AND status = 500", 1},
		{"status = 599", 0},
	} {
		assert.Lenf(t, stack.List(t, "requests", c.filter), c.want, "requests where %s", c.filter)
	}
	for _, listed := range stack.List(t, "requests", "status = 500") {
		var one record.JSON
		_, err := stack.Get(t.Context(), "requests/"+listed.ID, nil, &one)
		require.NoError(t, err)
		assert.Equal(t, listed.SpanID, one.SpanID, "request %s by id", listed.ID)
		assert.Equal(t, listed.Attributes, one.Attributes, "request %s by id", listed.ID)
	}
}

// checkCorrelation finds records by what the business knows: user.id and
// order.id became correlation keys.
func checkCorrelation(t *testing.T, stack *harness.Stack) {
	users := stack.List(t, "requests", "correlation['user_id'] = 'u_1137'")
	assert.GreaterOrEqual(t, len(users), 10, "requests of user u_1137")
	for _, r := range users {
		assert.Equal(t, "u_1137", r.Correlation["user_id"])
	}
	journey := stack.GetJourney(t, "user_id", "u_1137")
	assert.GreaterOrEqual(t, len(journey.Rows), len(users), "the journey holds at least the requests")
	for i := 1; i < len(journey.Rows); i++ {
		assert.False(t, journey.Rows[i].Time.Before(journey.Rows[i-1].Time), "a journey is in time order")
	}
	services := map[string]bool{}
	for _, row := range stack.GetJourney(t, "order_id", "o_3").Rows {
		services[row.Service] = true
	}
	assert.True(t, services["go-shop"] && services["node-shop"], "order o_3 was seen by both services, got %v", services)
}

// checkTail wants every record on the live tail too, in the same form.
func checkTail(t *testing.T, tail *harness.Tail, spans []spanfile.Span, stored map[string]record.JSON) {
	seen := map[string]record.JSON{}
	complete := func() bool {
		records, _, _ := tail.Records()
		for _, r := range records {
			if r.Type != "event" {
				seen[r.SpanID] = r
			}
		}
		return len(seen) >= len(spans)
	}
	assert.Eventually(t, complete, arrival, 50*time.Millisecond)
	_, missed, err := tail.Records()
	require.NoError(t, err)
	assert.Zero(t, missed, "records the tail left out")
	for _, s := range spans {
		live, ok := seen[s.SpanID]
		if assert.Truef(t, ok, "%s %q was not seen live", s.Kind, s.Name) {
			assert.Equal(t, stored[s.SpanID].ID, live.ID, "id of %q, live and stored", s.Name)
			compareSpan(t, s, live)
		}
	}
}

// checkFilteredTail wants the two failed requests and nothing else on a tail that
// asked for failures. The unfiltered tail has everything by now, so nothing more
// is on its way.
func checkFilteredTail(t *testing.T, failures *harness.Tail) {
	require.Eventually(t, func() bool {
		records, _, _ := failures.Records()
		return len(records) >= 2
	}, arrival, 50*time.Millisecond)
	records, missed, err := failures.Records()
	require.NoError(t, err)
	assert.Zero(t, missed)
	assert.Len(t, records, 2)
	for _, r := range records {
		assert.EqualValues(t, 500, r.Status)
		assert.Equal(t, "request", r.Type)
	}
}
