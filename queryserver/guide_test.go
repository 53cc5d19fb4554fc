package queryserver

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// Whatever guides say, pages hold what matches, in order, without gap or repeat.
func TestGuidedRowsAreAll(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(7, 8))
	start := time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	const span = 40 * time.Hour
	var all []record.Record
	for i := range 4000 {
		rec := record.Record{
			Kind: record.Request, Project: "default", RID: uint64(i), Time: start.Add(time.Duration(r.Int64N(int64(span))).Truncate(time.Second)),
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
	s.insert(all[:2000]...)
	s.insert(all[2000:]...) // late: older and newer than what is stored
	for _, text := range []string{
		"status = 418", "status >= 500", "status = 599", "duration_ms > 700", "duration_ms BETWEEN 10 AND 11 AND status = 500",
		"route = '/r1' AND duration_ms > 400", "user:u1", "user:u1 status:5xx", "correlation['user'] = 'u3' AND duration_ms > 100",
		"attributes['user'] = 'u1'", "user IN ('u1', 'u2') AND route = '/r0'", "status = 418 OR status = 404", "duration_ms > 5 AND duration_ms < 4",
	} {
		e := mustParse(t, text)
		for _, order := range []string{"desc", "asc"} {
			from := start.Add(time.Duration(r.Int64N(int64(2 * time.Hour))))
			to := start.Add(span - time.Duration(r.Int64N(int64(2*time.Hour))))
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

func TestGuidePlans(t *testing.T) {
	for name, text := range map[string]string{
		"guide_counts": "status >= 500 AND route = '/a'", "guide_latencies": "route = '/a' AND duration_ms > 800", "guide_key": "user_id:u_1137",
	} {
		g := guidesFor(filter.Conjuncts(mustParse(t, text)), record.Request)[0]
		hours := []window{{floor(planWeek.From, time.Hour), ceil(planWeek.To, time.Hour)}}
		golden(t, filepath.Join("testdata", "plan", name+".sql"), snapshot([]clickhouse.Query{planGuide("default", g, g.hour, hours), planGuide("default", g, g.minute, hours)}))
	}
}
