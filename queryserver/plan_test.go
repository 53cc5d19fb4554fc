package queryserver

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/golden"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

var (
	planTo   = time.Date(2026, 11, 30, 12, 34, 56, 789_000_000, time.UTC)
	planHour = window{planTo.Add(-time.Hour), planTo}
	planWeek = window{planTo.Add(-7 * 24 * time.Hour), planTo}
)

func mustParse(t *testing.T, text string) *filter.Expr {
	t.Helper()
	e, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every statement the server can send, in testdata/plan/*.sql. Rewrite with -update.
func TestPlans(t *testing.T) {
	rows := func(kind record.Kind, text string, w window, names ...string) rowsQuestion {
		set, err := columnsOf(kind, names)
		if err != nil {
			t.Fatal(err)
		}
		return rowsQuestion{project: "default", columns: set, filter: mustParse(t, text), window: w, limit: 100}
	}
	after := func(q rowsQuestion, ascending bool) rowsQuestion {
		q.cursor, q.ascending = &record.ID{Time: planTo.Add(-time.Minute), RID: 7}, ascending
		return q
	}
	histogram := func(text string, w window, by string) []clickhouse.Query {
		q, _ := planHistogram("default", mustParse(t, text), w, gridOf(w, 60), by)
		return []clickhouse.Query{q}
	}
	overview := planOverview("default", planWeek)
	onRoute := []filter.Node{filter.Equal("service", "api"), filter.Equal("route", "/projects/:id/tasks")}
	day := window{planTo.Add(-24 * time.Hour), planTo}
	routeLatency, routeErrors := planRouteHeatmap("default", nil, nil, day, gridOf(day, 96))
	namedLatency, namedErrors := planRouteHeatmap("default", nil, []RouteName{{"api", "GET", "/a"}, {"api", "POST", "/b"}}, planHour, gridOf(planHour, 96))
	requestColumns, _ := columnsOf(record.Request, nil)
	spanColumns, _ := columnsOf(record.Span, nil)
	minute := planTo.Truncate(time.Minute)

	for name, queries := range map[string][]clickhouse.Query{
		"rows_all":             planRows(rows(record.Request, "", planWeek)),
		"rows_spans":           planRows(rows(record.Span, "name = 'SELECT tasks'", planHour)),
		"rows_events":          planRows(rows(record.Event, "severity >= 17", planHour)),
		"rows_filter":          planRows(rows(record.Request, "status >= 500 AND route = '/projects/:id/tasks' AND duration_ms > 812.4", planWeek, "status", "duration_ms")),
		"rows_maps":            planRows(rows(record.Request, "attributes['plan'] = 'enterprise' AND attributes['plan'] != 'free' AND attributes['n'] >= 5 AND attributes['n'] < '7' AND attributes['n'] != 1.5", planHour, "ts")),
		"rows_correlation":     planRows(rows(record.Request, "correlation['account_id'] = 'acc_108'", planHour, "ts")),
		"rows_correlation_and": planRows(rows(record.Request, "correlation['account_id'] = 'acc_108' AND status >= 500", planHour, "ts")),
		"rows_trace":           planRows(rows(record.Span, "trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'", planHour, "ts")),
		"rows_absent":          planRows(rows(record.Event, "status = 500 AND type = 'event' AND severity > -1", planHour, "ts")),
		"rows_cursor":          planRows(after(rows(record.Request, "", planHour, "ts"), false)),
		"rows_cursor_asc":      planRows(after(rows(record.Request, "", planHour, "ts"), true)),
		"record":               {planRecord("default", record.ID{Time: planTo, RID: 7}, requestColumns)},
		"trace_minutes":        {planTraceMinutes("default", "4bf92f3577b34da6a3ce929d0e0e4736")},
		"trace_records": {
			planTraceRecords(traceQuestion{project: "default", id: "4bf92f3577b34da6a3ce929d0e0e4736", kind: record.Span, minutes: []time.Time{minute, minute.Add(time.Minute), minute.Add(time.Hour)}, limit: 1001}, spanColumns),
			planTraceRecords(traceQuestion{project: "default", id: "4bf92f3577b34da6a3ce929d0e0e4736", kind: record.Span, minutes: []time.Time{minute, minute.Add(time.Hour)}, cursor: &record.ID{Time: minute.Add(time.Hour), RID: 7}, limit: 100}, spanColumns),
		},
		"histogram_hour":      histogram("", planHour, ""),
		"histogram_week":      histogram("status >= 500 AND service = 'api'", planWeek, "status_class"),
		"histogram_raw":       histogram("duration_ms > 800", planHour, "status"),
		"overview":            {overview.totals, overview.latency, overview.routes, overview.routeLatency},
		"heatmap":             {planHeatmap("default", onRoute, planHour, gridOf(planHour, 96))},
		"heatmap_day":         {planHeatmap("default", nil, day, gridOf(day, 96))},
		"heatmap_route":       {planTopRoutes("default", nil, day, 50), routeLatency, routeErrors},
		"heatmap_route_named": {namedLatency, namedErrors},
	} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, filepath.Join("testdata", "plan", name+".sql"), snapshot(queries)) })
	}
}

// snapshot writes statements with their parameters and settings as comments.
func snapshot(queries []clickhouse.Query) string {
	var b strings.Builder
	for i, q := range queries {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "-- %s\n", q.Name)
		for _, name := range slices.Sorted(maps.Keys(q.Params)) {
			fmt.Fprintf(&b, "--   %s = %q\n", name, q.Params[name])
		}
		for _, name := range slices.Sorted(maps.Keys(q.Settings)) {
			fmt.Fprintf(&b, "--   SETTING %s = %s\n", name, q.Settings[name])
		}
		b.WriteString(q.SQL + "\n")
	}
	return b.String()
}

// A cut covers its window without gap or overlap, and every part of a rollup
// starts and ends on its steps.
func TestCutIsExact(t *testing.T) {
	for _, levels := range [][]level{nil, countLevels, latencyLevels, fitting(latencyLevels, 5*time.Minute), fitting(countLevels, time.Second)} {
		for _, w := range []window{
			planHour, planWeek, {planTo, planTo}, {planTo, planTo.Add(1)}, {planTo, planTo.Add(61 * time.Second)},
			{planTo.Truncate(time.Hour), planTo.Truncate(time.Hour).Add(2 * time.Hour)},
			{time.Unix(0, 0).UTC(), time.Unix(59, 0).UTC()},
		} {
			at := w.From
			for _, s := range cut(w, levels, 0) {
				if !s.From.Equal(at) || !s.From.Before(s.To) {
					t.Fatalf("%v over %d levels: a segment starts at %s, want %s", w, len(levels), s.From, at)
				}
				if s.table != "" && (!floor(s.From, s.step).Equal(s.From) || !floor(s.To, s.step).Equal(s.To)) {
					t.Fatalf("%s from %s to %s is not on its steps", s.table, s.From, s.To)
				}
				at = s.To
			}
			if !at.Equal(w.To) && w.From.Before(w.To) {
				t.Fatalf("%v: covered to %s only", w, at)
			}
		}
	}
}

func TestGridIsRoundAndCovers(t *testing.T) {
	for _, tc := range []struct {
		w       window
		n       int
		step    time.Duration
		columns int
	}{
		{planHour, 60, time.Minute, 61},
		{planWeek, 60, 3 * time.Hour, 57},
		{window{planTo, planTo.Add(time.Millisecond)}, 60, time.Second, 1},
		{window{planTo, planTo.Add(400 * 24 * time.Hour)}, 10, 7 * 24 * time.Hour, 58},
	} {
		g := gridOf(tc.w, tc.n)
		if g.step != tc.step || g.columns != tc.columns || g.start.After(tc.w.From) || g.end().Before(tc.w.To) {
			t.Errorf("grid of %v in %d: %+v, want step %s and %d columns", tc.w, tc.n, g, tc.step, tc.columns)
		}
	}
}
