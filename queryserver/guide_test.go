package queryserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/golden"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

const guideSpan = 40 * time.Hour

var guideStart = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)

// guideRecords are requests at whole seconds of the span, in no order.
func guideRecords(r *rand.Rand) []record.Record {
	var all []record.Record
	for i := range 4000 {
		rec := record.Record{
			Kind: record.Request, Project: "default", RID: uint64(i), Time: guideStart.Add(time.Duration(r.Int64N(int64(guideSpan))).Truncate(time.Second)),
			Service: fmt.Sprint("svc", r.IntN(3)), Route: fmt.Sprint("/r", r.IntN(5)), Method: "GET",
			Status: []uint16{0, 200, 200, 200, 404, 500}[r.IntN(6)], Duration: uint64(r.ExpFloat64() * 1e8),
			Correlation: record.Pairs{{Key: "user", Value: fmt.Sprint("u", r.IntN(40))}},
		}
		if i%500 == 0 {
			rec.Status = 418
		}
		if i%90 == 0 {
			rec.Correlation = nil
			rec.Attributes = record.Pairs{{Key: "user", Value: "u1"}}
			rec.FacetItems = []string{"user=u1"}
			if i%180 == 0 {
				rec.FacetItems = []string{"(other)"}
			}
		}
		all = append(all, rec)
	}
	return all
}

// Whatever guides say, pages hold what matches, in order, without gap or repeat.
func TestGuidedRowsAreAll(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(7, 8))
	all := guideRecords(r)
	s.insert(all[:2000]...)
	s.insert(all[2000:]...) // late: older and newer than what is stored
	for _, text := range []string{
		"status = 418", "status >= 500", "status = 599", "duration_ms > 700", "duration_ms BETWEEN 10 AND 11 AND status = 500",
		"route = '/r1' AND duration_ms > 400", "user:u1", "user:u1 status:5xx", "correlation['user'] = 'u3' AND duration_ms > 100",
		"attributes['user'] = 'u1'", "user IN ('u1', 'u2') AND route = '/r0'", "status = 418 OR status = 404", "duration_ms > 5 AND duration_ms < 4",
	} {
		e := mustParse(t, text)
		for _, order := range []string{"desc", "asc"} {
			from := guideStart.Add(time.Duration(r.Int64N(int64(2 * time.Hour))))
			to := guideStart.Add(guideSpan - time.Duration(r.Int64N(int64(2*time.Hour))))
			var want, got []string
			for i := range all {
				if !all[i].Time.Before(from) && all[i].Time.Before(to) && e.Match(&all[i]) {
					want = append(want, all[i].ID().String())
				}
			}
			slices.Sort(want)
			if order == "desc" {
				slices.Reverse(want)
			}
			for cursor := ""; ; {
				page := decodeAnswer[struct {
					Rows []struct {
						ID string `json:"id"`
					} `json:"rows"`
					Next string `json:"next_cursor"`
				}](t, s, "requests", "filter", text, "from", from.Format(time.RFC3339Nano), "to", to.Format(time.RFC3339Nano), "order", order, "limit", "60", "columns", "status", "cursor", cursor)
				for _, row := range page.Rows {
					got = append(got, row.ID)
				}
				if cursor = page.Next; cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d rows, want %d", text, order, len(got), len(want))
			}
		}
	}
}

// With guides a page is what it is without, whatever is asked.
func TestGuidedPagesAreTheSame(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(9, 10))
	all := guideRecords(r)
	s.insert(all[:2500]...)
	s.insert(all[2500:]...)
	ask := func(ctx context.Context, q clickhouse.Query, row func(*clickhouse.Reader)) error {
		_, err := s.client.Select(ctx, q, row)
		return err
	}
	leaf := func() string {
		switch r.IntN(8) {
		case 0, 1:
			return of(r, []string{"status = 418", "status:5xx", "status IN (404, 599)", "status != 200", "status > 404", "status = 599", "NOT status = 200"})
		case 2:
			return of(r, []string{"route = '/r1'", "route:/r*", "route != '/r2'", "service = 'svc1'", "method = 'POST'", "service IN ('svc0', 'none')"})
		case 3:
			return fmt.Sprintf("duration_ms %s %d", of(r, []string{">", ">=", "<", "<=", "="}), r.IntN(600))
		case 4:
			return fmt.Sprintf("duration_ms BETWEEN %d AND %d", r.IntN(300), r.IntN(700))
		case 5:
			return fmt.Sprintf("user:u%d", r.IntN(42))
		case 6:
			return "(" + randomTerms(r, 2) + ")"
		default:
			return of(r, []string{"(status = 418 OR duration_ms > 400)", "attributes['user'] = 'u1'", "(user:u1 OR user:u2)", "-user:u1", "-(duration_ms > 20)"})
		}
	}
	for range 150 {
		text := leaf()
		for range r.IntN(3) {
			text += " AND " + leaf()
		}
		columns, err := columnsOf(record.Request, []string{"status"})
		if err != nil {
			t.Fatal(err)
		}
		at := func() time.Time { return guideStart.Add(time.Duration(r.Int64N(int64(guideSpan)))) }
		a, b := at(), at()
		q := rowsQuestion{
			project: "default", filter: mustParse(t, text), columns: columns, limit: 1 + r.IntN(80), ascending: r.IntN(2) == 0,
			window:  window{earlier(a, b), later(a, b).Add(time.Second)},
			settled: window{guideStart.Add(-time.Hour), guideStart.Add(guideSpan * time.Duration(1+r.IntN(3)) / 2)},
		}
		if id := all[r.IntN(len(all))].ID(); r.IntN(2) == 0 && !id.Time.Before(q.window.From) && id.Time.Before(q.window.To) {
			q.cursor = &id
		}
		got, err := q.read(t.Context(), ask)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var want []record.Record
		if err := ask(t.Context(), planRowsIn(q, q.bounded()), func(r *clickhouse.Reader) { want = append(want, columns.scan(r, q.project)) }); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := got[:min(len(got), q.limit+1)]; !slices.Equal(ids(got), ids(want)) {
			t.Errorf("%s, ascending %t, %v, cursor %v: %d rows with guides, %d without", text, q.ascending, q.window, q.cursor, len(got), len(want))
		}
	}
}

func ids(records []record.Record) []string {
	out := make([]string, len(records))
	for i := range records {
		out[i] = records[i].ID().String()
	}
	return out
}

// Records are listed before the rollups know of them, in both orders. They are of
// times to come, so that it does not matter how long the test takes.
func TestUnsettledRowsAreListed(t *testing.T) {
	s := newTestStore(t)
	now := time.Now().UTC().Truncate(time.Second)
	of := func(age time.Duration) record.Record {
		return record.Record{Kind: record.Request, Project: "default", RID: uint64(now.Add(-age).UnixNano()), Time: now.Add(-age), Status: 418, Duration: 1e6}
	}
	settled := []record.Record{of(30 * time.Hour), of(3 * time.Hour)}
	fresh := []record.Record{of(-time.Minute), of(-10 * time.Minute), of(-3 * time.Hour)}
	s.insert(settled...)
	s.insertInto("requests", fresh...)
	want := ids(append(settled, fresh...))
	for _, order := range []string{"asc", "desc"} {
		if order == "desc" {
			slices.Reverse(want)
		}
		page := decodeAnswer[Rows](t, s, "requests", "filter", "status = 418", "from", "-3d", "to", now.Add(6*time.Hour).Format(time.RFC3339), "order", order)
		got := make([]string, len(page.Rows))
		for i, row := range page.Rows {
			got[i] = row.ID
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", order, got, want)
		}
	}
}

func TestGuidePlans(t *testing.T) {
	for name, text := range map[string]string{
		"guide_counts": "status >= 500 AND route = '/a'", "guide_latencies": "route = '/a' AND duration_ms > 800", "guide_key": "user_id:u_1137",
	} {
		g := guidesFor(filter.Conjuncts(mustParse(t, text)), record.Request)[0]
		hours := []window{{floor(planWeek.From, time.Hour), ceil(planWeek.To, time.Hour)}}
		golden.Equal(t, filepath.Join("testdata", "plan", name+".sql"), snapshot([]clickhouse.Query{planGuide("default", g, g.hour, hours), planGuide("default", g, g.minute, hours)}))
	}
}
