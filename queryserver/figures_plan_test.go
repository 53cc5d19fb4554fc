package queryserver

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/golden"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

func mustFields(t *testing.T, text string, kind record.Kind) []field {
	t.Helper()
	fields, err := parseFields(text, kind, maxFacetFields)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// The statements of the figures, in testdata/plan/*.sql. Rewrite with -update.
func TestFigurePlans(t *testing.T) {
	facets := func(fields, text, prefix string, w window) facetsQuestion {
		return facetsQuestion{
			project: "default", kind: record.Request, filter: mustParse(t, text), window: w,
			fields: mustFields(t, fields, record.Request), prefix: prefix, limit: 10,
		}
	}
	groups := func(kind record.Kind, by, text string, latencies, compare bool) groupsQuestion {
		return groupsQuestion{
			project: "default", kind: kind, filter: mustParse(t, text), window: planWeek,
			by: mustFields(t, by, kind), latencies: latencies, compare: compare,
		}
	}
	sampled := sampleOf(planHour, 2, 1)
	sampled.slices, sampled.stratum, sampled.slice = 2, planHour.Span()/2, planHour.Span()/4 // short enough to read
	compare := compareQuestion{
		project: "default", kind: record.Request, filter: mustParse(t, "service = 'api'"), window: planWeek,
		selected: planHour, min: 800e6, max: 900e6, selection: mustParse(t, "status >= 500"),
	}
	journey := journeyQuestion{project: "default", key: "order_id", value: "o_9", window: planWeek, limit: 200, ascending: true}
	secondPage := journey
	secondPage.cursor, secondPage.ascending = &record.ID{Time: planTo.Add(-time.Hour), RID: 7}, false
	traces, minutes := []string{someTrace}, []time.Time{planTo.Truncate(time.Minute)}
	maps := planServiceMap("default", sampled)
	usage := planUsage("default", window{floor(planWeek.From, wholeDay), ceil(planTo, wholeDay)})
	whole := sampleOf(planHour, 1, 1)
	errorsOf := errorsQuestion{project: "default", kind: record.Request, filter: mustParse(t, "status >= 500"), window: planHour, grid: gridOf(planHour, 30), sort: "-last_seen"}
	oneError := errorsQuestion{project: "default", kind: record.Event, filter: mustParse(t, ""), window: planHour, grid: gridOf(planHour, 30), sort: "-count", group: 7}
	for name, queries := range map[string][]clickhouse.Query{
		"journey":             {planJourney(journey), planJourneySummary(journey)},
		"journey_second_page": {planJourney(secondPage), planJourneySeen(secondPage, traces)},
		"journey_linked":      {planTracesMinutes("default", traces, planWeek), planJourneyLinked(journey, traces, minutes)},
		"journey_pivots":      {planJourneyPivots(journey, []record.ID{{Time: planTo, RID: 7}}, nil, minutes)},
		"servicemap":          {maps.calls, maps.peers, maps.consumers},
		"releases":            {planReleases("default", sampleOf(planWeek, 1, 1), nil), planReleases("default", sampleOf(planHour, 1, 1), []serviceRelease{{"api", "v1"}})},
		"usage":               {usage.days, usage.traffic, usage.disk},
		"ledger":              {planLedger("default", window{floor(planHour.From, time.Minute), planTo}, time.Minute)},
		"errors":              {planErrors(errorsOf), planErrorMessages(errorsOf, []record.ID{{Time: planTo, RID: 7}, {Time: planTo, RID: 1 << 63}})},
		"errors_group":        {planErrors(oneError), planErrorSamples(oneError, 10)},
		"compare": {
			planCompareScan(compare, compare.inside()), planCompareCount(compare, compare.inside(), whole),
			planCompareItems(compare, compare.inside(), whole, 5, nil),
			planCompareScan(compare, compare.rest()), planCompareCount(compare, compare.rest(), sampled),
			planCompareItems(compare, compare.rest(), sampled, 1, []string{"croute=/a", "kuser_id\x01u_1"}),
		},
		"scan":              {planScan("default", record.Request, mustParse(t, "status >= 500"), planHour)},
		"facets_counts":     {planFacetCounts(facets("status,route,status_class", "service = 'api'", "", planHour))},
		"facets_attributes": {planFacetAttributes(facets("attributes['plan'],attributes.region", "", "ent", planWeek))},
		"facets_journey": {
			planFacetJourneyScan(facets("correlation.user_id", "", "", planHour)),
			planFacetJourney(facets("correlation.user_id", "", "u_11", planHour)),
		},
		"facets_rows":   {planFacetRows(facets("env,attributes['plan']", "duration_ms > 800", "", planHour), sampleOf(planHour, 1, 1))},
		"facets_sample": {planFacetRows(facets("correlation['account_id']", "", "acc", planHour), sampled)},
		"groups": {
			planGroupCounts(groups(record.Request, "service,route", "method = 'GET'", true, true)),
			planGroupLatencies(groups(record.Request, "service,route", "method = 'GET'", true, true)),
		},
		"groups_rows":  {planGroupRows(groups(record.Request, "env,attributes['plan']", "status >= 500", true, true))},
		"groups_event": {planGroupRows(groups(record.Event, "name", "", false, false))},
	} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, filepath.Join("testdata", "plan", name+".sql"), snapshot(queries)) })
	}
}

func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		"route": "route", "status_class": "status_class", "attributes['plan']": "attributes['plan']", `attributes["plan"]`: "attributes['plan']",
		"attributes.http.route": "attributes['http.route']", `correlation['it\'s, "so"']`: `correlation['it\'s, "so"']`,
	} {
		fields, err := parseFields(text, record.Request, 1)
		if err != nil || len(fields) != 1 || fields[0].name != want {
			t.Errorf("%s: %v, %v, want %s", text, fields, err, want)
		}
	}
	for _, text := range []string{"", ",", "nothing", "route,route", "route,service", "attributes", "attributes['']", "attributes['a", "attributes[a]", "route.x", "ts", "trace_id", "severity", "request_body", "attributes."} {
		if fields, err := parseFields(text, record.Request, 1); err == nil {
			t.Errorf("%s was taken for %v", text, fields)
		}
	}
}

// The slices lie in the window, one in each stratum, and are as long as fraction says.
func TestSampleSlices(t *testing.T) {
	if s := sampleOf(planHour, 100, 100); s.slices != 0 || s.fraction != 1 || s.label() != nil || len(s.windows()) != 1 {
		t.Errorf("what fits the budget is sampled: %+v", s)
	}
	for budget, want := range map[uint64]int{1: fewestSlices, 10_000: fewestSlices, 64 * granule: 64, 1 << 30: mostSlices} {
		if s := sampleOf(planWeek, 1<<40, budget); s.slices != want || len(s.windows()) != want {
			t.Errorf("%d slices for %d rows, want %d", s.slices, budget, want)
		}
	}
	s := sampleOf(planWeek, 1_000_000, 10_000)
	windows := s.windows()
	if len(windows) != fewestSlices || s.fraction < 0.0099 || s.fraction > 0.0101 {
		t.Fatalf("%d slices of %v", len(windows), s)
	}
	for i, w := range windows {
		lo := s.From.Add(time.Duration(i) * s.stratum)
		if w.From.Before(lo) || w.To.After(lo.Add(s.stratum)) || w.To.After(s.To) {
			t.Errorf("slice %d is %v, not in the stratum that starts at %s", i, w, lo)
		}
	}
}
