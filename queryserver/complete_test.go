package queryserver

import (
	"encoding/json"
	"fmt"
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

// The statements of completion, in testdata/plan/complete_*.sql. Rewrite with -update.
func TestCompletePlans(t *testing.T) {
	q := newCompleteQuestion("default", record.Request, planHour)
	q.prefix = "ac"
	events := newCompleteQuestion("default", record.Event, planWeek)
	attribute := &filter.Field{Column: attributesColumn, Key: "http.route"}
	for name, queries := range map[string][]clickhouse.Query{
		"complete_counts":  {planCompleteCounts(q, filter.ColumnNamed("route"))},
		"complete_facets":  {planCompleteFacets(q, "plan"), planCompleteFacetKeys(q)},
		"complete_journey": {planCompleteJourney(q, "account_id"), planCompleteJourney(events, "account_id"), planCompleteJourneyKey(q, "ac", true), planCompleteJourneyKey(q, "account_id", false)},
		"complete_rows":    {planCompleteRows(events, &filter.Field{Column: filter.ColumnNamed("severity")}), planCompleteRows(q, attribute), planCompleteRowKeys(events, attributesColumn)},
	} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, filepath.Join("testdata", "plan", name+".sql"), snapshot(queries)) })
	}
}

func TestKeptKeys(t *testing.T) {
	var k keptKeys
	if _, ok := k.get("default", planHour, planTo); ok {
		t.Error("there are keys before any were put")
	}
	k.put("default", planHour, planTo, []string{"user_id"})
	if keys, ok := k.get("default", planHour, planTo.Add(keptFor-1)); !ok || len(keys) != 1 {
		t.Errorf("got %v, %v", keys, ok)
	}
	for what, w := range map[string]window{"other": planHour, "default": planWeek} {
		if _, ok := k.get(what, w, planTo); ok {
			t.Errorf("%s %v has the keys of another", what, w)
		}
	}
	if _, ok := k.get("default", planHour, planTo.Add(keptFor)); ok {
		t.Error("keys are kept for ever")
	}
	for i := range maxKept + 1 {
		k.put(fmt.Sprint(i), planHour, planTo, nil)
	}
	if len(k.lists) > maxKept {
		t.Errorf("%d lists are kept", len(k.lists))
	}
}

func TestAfterPrefix(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "b", "az": "a{", "a\xff": "b", "\xff\xff": ""} {
		if got := afterPrefix(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

var completeTime = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func completeStore(t *testing.T) *testStore {
	s := newTestStore(t)
	var all []record.Record
	for i := range 60 {
		plan := []string{"free", "free", "enterprise", `it's "x"`}[i%4]
		r := record.Record{
			Kind: record.Request, Project: "default", Time: completeTime.Add(time.Duration(i) * time.Second), RID: uint64(i),
			Service: []string{"api", "billing", "api"}[i%3], Route: fmt.Sprintf("/r/%d", i%30), Method: "GET", Status: []uint16{200, 404, 500}[i%3], Env: "prod",
			Attributes:  record.Pairs{{Key: "plan", Value: plan}, {Key: "odd key", Value: "1"}},
			FacetItems:  []string{"plan=" + plan, "odd key=1"},
			Correlation: record.Pairs{{Key: "user_id", Value: fmt.Sprintf("u_%d", i%10)}, {Key: "account_id", Value: "acc_1"}},
			Resource:    record.Pairs{{Key: "host.name", Value: "h1"}},
		}
		all = append(all, r)
	}
	all = append(all, record.Record{
		Kind: record.Event, Project: "default", Time: completeTime, RID: 1000, Name: "order.paid", Severity: 9,
		Attributes: record.Pairs{{Key: "amount", Value: "5"}}, Correlation: record.Pairs{{Key: "order_id", Value: "o_1"}},
	}, record.Record{
		Kind: record.Request, Project: "other", Time: completeTime, RID: 1, Service: "secret", Method: "GET", Status: 200,
		Attributes: record.Pairs{{Key: "hidden", Value: "x"}}, FacetItems: []string{"hidden=x"}, Correlation: record.Pairs{{Key: "hidden_id", Value: "x"}},
	})
	s.insert(all...)
	return s
}

func (s *testStore) complete(text string, more ...string) Completion {
	s.t.Helper()
	position := strings.Index(text, "|")
	text = strings.Replace(text, "|", "", 1)
	status, body := s.get("complete", append([]string{"filter", text, "position", fmt.Sprint(position), "from", "2026-11-01T11:00:00Z", "to", "2026-11-01T13:00:00Z"}, more...)...)
	if status != 200 {
		s.t.Fatalf("%s: %d: %s", text, status, body)
	}
	var out Completion
	if err := json.Unmarshal(body, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

func TestComplete(t *testing.T) {
	s := completeStore(t)
	for _, tc := range []struct {
		in   string
		kind string
		want string // the first items to insert, separated by spaces; with counts
	}{
		{"ser|", "request", "service"},
		{"us|", "request", "user_agent user_id"},
		{"pl|", "request", "plan:60"},
		{"od|", "request", "attributes['odd key']:60"},
		{"hid|", "request", ""},
		{"am|", "event", "amount:1"},
		{"or|", "event", "order_id"},
		{"NO|", "request", "NOT"},
		{"status |", "request", "= != > >="},
		{"status:500 |", "request", "AND OR"},
		{"status:500 se|", "request", "service"},
		{"attributes[|", "request", "'odd key']:60 'plan']:60"},
		{"attributes['p|", "request", "'plan']:60"},
		{"resource['|", "request", "'host.name']:60"},
		{"correlation[|", "request", "'account_id'] 'order_id'] 'user_id']"},
		{"service = |", "request", "'api':40 'billing':20"},
		{"service = 'b|", "request", "'billing':20"},
		{"service:|", "request", "api:40 billing:20"},
		{"service:s|", "request", ""},
		{"status:|", "request", "200:20 404:20 500:20"},
		{"status IN (500, 4|", "request", "404:20"},
		{"route:/r/1|", "request", "/r/1:2 /r/10:2 /r/11:2"},
		{"env = |", "request", "'prod':60"},
		{"plan:|", "request", `free:30 enterprise:15 "it's \"x\"":15`},
		{"plan = 'i|", "request", `'it\'s "x"':15`},
		{"attributes['plan'] = \"e|", "request", `"enterprise":15`},
		{"user_id:u|", "request", "u_0:6 u_1:6 u_2:6"},
		{"correlation['account_id'] = |", "request", "'acc_1':60"},
		{"hidden:|", "request", ""},
		{"resource['host.name']:|", "request", "h1:60"},
		{"name:|", "event", "order.paid:1"},
		{"severity >= |", "event", "'trace' 'debug' 'info' 'warn' 'error' 'fatal'"},
		{"severity:e|", "event", "error"},
		{"type:|", "event", "request span event"},
		{"amount:|", "event", "5:1"},
		{"trace_id:|", "request", ""},
		{"route:|", "event", ""},
		{"'timed |", "request", ""},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got := s.complete(tc.in, "kind", tc.kind)
			if got.Problem != nil {
				t.Fatalf("%+v", got.Problem)
			}
			var inserts []string
			for _, item := range got.Items {
				insert := item.Insert
				if item.Count > 0 {
					insert += fmt.Sprintf(":%d", item.Count)
				}
				inserts = append(inserts, insert)
			}
			all := strings.Join(inserts, " ")
			if all != tc.want && (tc.want == "" || !strings.HasPrefix(all, tc.want+" ")) {
				t.Errorf("got  %s\nwant %s", all, tc.want)
			}
			if len(got.Items) > maxCompletions {
				t.Errorf("%d items", len(got.Items))
			}
		})
	}
	t.Run("what is chosen finds as many records as it is counted", func(t *testing.T) {
		for _, text := range []string{"service = |", "service:|", "status:|", "plan:|", "plan = |", "plan = \"|", "user_id:|", "env:|", "attributes['odd key'] = |"} {
			c := s.complete(text)
			if len(c.Items) == 0 {
				t.Errorf("%s: nothing", text)
			}
			for _, item := range c.Items {
				chosen := text[:c.From] + item.Insert
				status, body := s.get("requests", "filter", chosen, "from", "2026-11-01T11:00:00Z", "to", "2026-11-01T13:00:00Z", "limit", "1000", "columns", "ts")
				var rows Rows
				if err := json.Unmarshal(body, &rows); status != 200 || err != nil || uint64(len(rows.Rows)) != item.Count {
					t.Errorf("%s: %d, %d records of %d: %.200s", chosen, status, len(rows.Rows), item.Count, body)
				}
			}
		}
	})
	t.Run("problem", func(t *testing.T) {
		got := s.complete("status >= abc AND |")
		if p := got.Problem; p == nil || p.Position != 10 || p.Length != 3 || p.Expected == "" || len(got.Items) != 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("position", func(t *testing.T) {
		for _, position := range []string{"4", "-2", "x"} {
			if status, body := s.get("complete", "filter", "ser", "position", position); status != 400 {
				t.Errorf("%s: %d: %s", position, status, body)
			}
		}
	})
}

func TestFilterFields(t *testing.T) {
	s := completeStore(t)
	fields := func(kind string) []string {
		status, body := s.get("fields", "kind", kind, "from", "2026-11-01T11:00:00Z", "to", "2026-11-01T13:00:00Z")
		var out Fields
		if err := json.Unmarshal(body, &out); status != 200 || err != nil {
			t.Fatalf("%d: %s", status, body)
		}
		var all []string
		for _, f := range out.Fields {
			if _, err := filter.Parse("EXISTS " + f.Filter); err != nil {
				t.Errorf("%s: %v", f.Filter, err)
			}
			all = append(all, fmt.Sprintf("%s %s %s %d", f.Source, f.Filter, f.Type, f.Count))
		}
		return all
	}
	requests, events := fields("request"), fields("event")
	for _, want := range []string{
		"column status number 0", "column duration_ms duration 0", "column response_bytes size 0", "column ts time 0", "column trace_id id 0", "column route text 0",
		"attributes attributes['plan'] text 60", "attributes attributes['odd key'] text 60", "correlation correlation['user_id'] text 0", "resource resource['host.name'] text 60",
	} {
		if !slices.Contains(requests, want) {
			t.Errorf("no %s in\n%s", want, strings.Join(requests, "\n"))
		}
	}
	if slices.ContainsFunc(events, func(f string) bool { return strings.Contains(f, "route") }) || !slices.Contains(events, "attributes attributes['amount'] text 1") {
		t.Errorf("events have\n%s", strings.Join(events, "\n"))
	}
	if slices.ContainsFunc(append(requests, events...), func(f string) bool { return strings.Contains(f, "hidden") }) {
		t.Error("a key of another project is listed")
	}
}
