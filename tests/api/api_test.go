package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// TestAnswers loads one store and asks it everything.
func TestAnswers(t *testing.T) {
	stack := harness.StartStack(t)
	base := time.Now().UTC().Truncate(time.Second)
	all := generate(base)
	load(t, stack, all)

	t.Run("pages", func(t *testing.T) { checkPages(t, stack, all) })
	t.Run("filters", func(t *testing.T) { checkFilters(t, stack, all) })
	t.Run("windows", func(t *testing.T) { checkWindows(t, stack, all, base) })
	t.Run("columns", func(t *testing.T) { checkColumns(t, stack) })
	t.Run("histogram", func(t *testing.T) { checkHistogram(t, stack, all, base) })
	t.Run("overview", func(t *testing.T) { checkOverview(t, stack, all, base) })
	t.Run("heatmap", func(t *testing.T) { checkHeatmap(t, stack, all, base) })
	t.Run("journeys", func(t *testing.T) { checkJourneys(t, stack, all) })
	t.Run("refusals", func(t *testing.T) { checkRefusals(t, stack) })
}

// page reads all pages of requests of one size in one order.
func page(t *testing.T, stack *harness.Stack, query url.Values) (ids []string, pages int) {
	t.Helper()
	for {
		var got harness.Rows
		_, err := stack.Get(t.Context(), "requests", query, &got)
		require.NoError(t, err)
		pages++
		for _, r := range got.Rows {
			ids = append(ids, r.ID)
		}
		if got.NextCursor == "" {
			return ids, pages
		}
		query.Set("cursor", got.NextCursor)
	}
}

// checkPages wants every record once, in order, whatever the size of a page.
func checkPages(t *testing.T, stack *harness.Stack, all []item) {
	newest, _ := page(t, stack, url.Values{"limit": {"10000"}})
	require.Len(t, newest, len(all))
	assert.True(t, slices.IsSortedFunc(newest, func(a, b string) int { return strings.Compare(b, a) }), "newest first: ids are times and row ids")
	for _, limit := range []string{"97", "1000"} {
		got, pages := page(t, stack, url.Values{"limit": {limit}})
		assert.Equal(t, newest, got, "pages of %s", limit)
		assert.Greater(t, pages, 1)
	}
	oldest, _ := page(t, stack, url.Values{"limit": {"777"}, "order": {"asc"}})
	slices.Reverse(oldest)
	assert.Equal(t, newest, oldest, "oldest first is the reverse")
	var page harness.Rows
	_, err := stack.Get(t.Context(), "requests", nil, &page)
	require.NoError(t, err)
	assert.Len(t, page.Rows, 100, "the default limit")
}

// checkFilters compares the number of matches, and each match, with a loop.
func checkFilters(t *testing.T, stack *harness.Stack, all []item) {
	n := func(it item) int { return it.Attributes["n"].(int) }
	plan := func(it item) string { s, _ := it.Attributes["plan"].(string); return s }
	for _, c := range []struct {
		filter string
		match  func(item) bool
	}{
		{"", func(item) bool { return true }},
		{"status >= 500", func(it item) bool { return it.Status >= 500 }},
		{"status != 200", func(it item) bool { return it.Status != 200 }},
		{"status > 404 AND status <= 500", func(it item) bool { return it.Status > 404 && it.Status <= 500 }},
		{"status = 301 AND service = 'api'", func(it item) bool { return it.Status == 301 && it.Service == "api" }},
		{"route = '/projects/:id/tasks' AND duration_ms > 800", func(it item) bool { return it.Route == "/projects/:id/tasks" && it.DurationMS > 800 }},
		{`route = '/it\'s/odd'`, func(it item) bool { return it.Route == "/it's/odd" }},
		{"method != 'GET' AND route < '/login'", func(it item) bool { return it.Method != http.MethodGet && it.Route < "/login" }},
		{"duration_ms < 0.5", func(it item) bool { return it.DurationMS < 0.5 }},
		{"duration >= 1.5s", func(it item) bool { return it.DurationMS >= 1500 }},
		{"path = '/p/4711'", func(it item) bool { return it.Path == "/p/4711" }},
		{"request_id = 'r-12'", func(it item) bool { return it.RequestID == "r-12" }},
		{"attributes['plan'] = 'enterprise'", func(it item) bool { return plan(it) == "enterprise" }},
		{"attributes['plan'] != 'free'", func(it item) bool { return plan(it) != "free" && plan(it) != "" }},
		{"attributes['plan'] = 'pro' AND status >= 400", func(it item) bool { return plan(it) == "pro" && it.Status >= 400 }},
		{"attributes['n'] > 150", func(it item) bool { return n(it) > 150 }},
		{"attributes['n'] = 7", func(it item) bool { return n(it) == 7 }},
		{"attributes['n'] <= '9'", func(it item) bool { return n(it) <= 9 }},
		{"attributes['absent'] != 'x'", func(item) bool { return false }},
		{"correlation['user_id'] = 'u_13'", func(it item) bool { return it.Correlation["user_id"] == "u_13" }},
		{"correlation['user_id'] = 'u_13' AND status = 500", func(it item) bool { return it.Correlation["user_id"] == "u_13" && it.Status == 500 }},
		{`correlation['order_id'] = 'it\'s; o_1'`, func(it item) bool { return it.Correlation["order_id"] != "" }},
		{"service = 'nobody'", func(item) bool { return false }},
		{"service = \"'; DROP TABLE requests --\"", func(item) bool { return false }},
	} {
		rows := stack.List(t, "requests", c.filter)
		assert.Lenf(t, rows, count(all, c.match), "requests where %s", c.filter)
		want := map[string]bool{}
		for _, it := range all {
			if c.match(it) {
				want[it.Path] = true
			}
		}
		for _, r := range rows {
			assert.Truef(t, want[r.Path], "%s is no match of %s", r.Path, c.filter)
		}
	}
}

// checkWindows wants from inclusive and to exclusive, in each way to write time.
func checkWindows(t *testing.T, stack *harness.Stack, all []item, base time.Time) {
	from, to := base.Add(-2*time.Hour).Truncate(10*time.Minute), base.Add(-time.Hour).Truncate(10*time.Minute)
	want := count(all, func(it item) bool { return !it.TS.Before(from) && it.TS.Before(to) })
	for _, c := range [][2]string{
		{from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano)},
		{fmt.Sprint(from.UnixMilli()), fmt.Sprint(to.UnixMilli())},
		{from.In(time.FixedZone("", 7200)).Format(time.RFC3339), to.Format(time.RFC3339)},
	} {
		ids, _ := page(t, stack, url.Values{"from": {c[0]}, "to": {c[1]}, "limit": {"5000"}})
		assert.Lenf(t, ids, want, "from %s to %s", c[0], c[1])
	}
	ids, _ := page(t, stack, url.Values{"from": {"-7d"}, "to": {"now"}, "limit": {"10000"}})
	assert.Len(t, ids, len(all))
	ids, _ = page(t, stack, url.Values{"from": {"-7d"}, "to": {"-6d"}})
	assert.Empty(t, ids)
}

func checkColumns(t *testing.T, stack *harness.Stack) {
	var got struct {
		Rows []map[string]any `json:"rows"`
	}
	_, err := stack.Get(t.Context(), "requests", url.Values{"columns": {"status,route"}, "limit": {"3"}}, &got)
	require.NoError(t, err)
	require.Len(t, got.Rows, 3)
	for _, row := range got.Rows {
		assert.Contains(t, row, "status")
		assert.Contains(t, row, "route")
		assert.NotContains(t, row, "path")
		assert.NotContains(t, row, "attributes")
	}
}

// checkJourneys pages through everything that carries a key.
func checkJourneys(t *testing.T, stack *harness.Stack, all []item) {
	for key, value := range map[string]string{"user_id": "u_13", "order_id": "it's; o_1", "request_id": "r-77"} {
		want := count(all, func(it item) bool {
			return it.Correlation[key] == value || key == "request_id" && it.RequestID == value
		})
		query := url.Values{"limit": {"50"}}
		var ids []string
		for {
			var got harness.Journey
			_, err := stack.Get(t.Context(), "journeys/"+key+"/"+url.PathEscape(value), query, &got)
			require.NoError(t, err)
			for _, row := range got.Rows {
				ids = append(ids, row.ID)
			}
			if got.NextCursor == "" {
				break
			}
			query.Set("cursor", got.NextCursor)
		}
		assert.Lenf(t, ids, want, "journey of %s %s", key, value)
		assert.True(t, slices.IsSorted(ids), "oldest first")
		assert.Len(t, slices.Compact(ids), want, "each record once")
	}
}

// checkRefusals wants a problem document that names what was wrong.
func checkRefusals(t *testing.T, stack *harness.Stack) {
	for _, c := range []struct {
		path   string
		status int
		wants  []string
	}{
		{"/default/requests?filter=" + url.QueryEscape("status >= abc"), 400, []string{"query.filter", `"position":10`}},
		{"/default/requests?filter=" + url.QueryEscape("statsu = 1"), 400, []string{"query.filter", `"position":0`}},
		{"/default/requests?filter=" + url.QueryEscape("status = 'x"), 400, []string{"query.filter"}},
		{"/default/tail?filter=" + url.QueryEscape("status >="), 400, []string{"filter"}},
		{"/default/requests?limit=0", 400, []string{"limit"}},
		{"/default/requests?limit=10001", 400, []string{"limit"}},
		{"/default/requests?limit=many", 400, []string{"limit"}},
		{"/default/requests?from=yesterday", 400, []string{"query.from"}},
		{"/default/requests?from=-1h&to=-2h", 400, []string{"from"}},
		{"/default/requests?cursor=zzz", 400, []string{"cursor"}},
		{"/default/requests?order=sideways", 400, []string{"order"}},
		{"/default/requests?columns=nonsense", 400, []string{"columns"}},
		{"/default/requests/" + strings.Repeat("0", 32), 404, nil},
		{"/default/requests/zzz", 400, nil},
		{"/nobody/requests", 404, []string{"nobody"}},
		{"/default/nonsense", 404, nil},
	} {
		res, err := http.Get(stack.Query + "/api/v1/projects" + c.path)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		_ = res.Body.Close()
		status := res.StatusCode
		if c.status == 400 && status == http.StatusUnprocessableEntity {
			status = 400 // a parameter that fails the schema
		}
		assert.Equalf(t, c.status, status, "%s: %s", c.path, body)
		assert.Containsf(t, res.Header.Get("Content-Type"), "application/problem+json", "%s: %s", c.path, body)
		assert.Truef(t, json.Valid(body), "%s: %s", c.path, body)
		for _, part := range c.wants {
			assert.Containsf(t, strings.ReplaceAll(string(body), ": ", ":"), part, "%s", c.path)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.Query+"/api/v1/projects/default/requests", http.NoBody)
	require.NoError(t, err)
	req.Host = "evil.example"
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	_ = res.Body.Close()
	assert.GreaterOrEqual(t, res.StatusCode, 400, "a foreign Host is refused")
}
