package queryserver

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// What was planted in the slow requests is found, most telling first, and what is
// as frequent elsewhere is not.
func TestCompareFindsWhatDiffers(t *testing.T) {
	s := newTestStore(t)
	r := rand.New(rand.NewPCG(17, 3))
	all := someRequests(r, 4000)
	slow := 0
	for i := range all {
		rec := &all[i]
		rec.Duration, rec.Release = uint64(r.IntN(500))*1e6, "v1"
		rec.Correlation = append(rec.Correlation, record.Pair{Key: "user_id", Value: fmt.Sprint("u_", r.IntN(3000))})
		if i%20 == 0 {
			slow++
			rec.Duration, rec.Release = 900e6, "v2"
			if i%40 == 0 {
				rec.Correlation[1].Value = "it's"
			}
		}
	}
	s.insert(all...)
	from, to := figuresStart.Format(time.RFC3339), figuresStart.Add(figuresSpan).Format(time.RFC3339)
	for name, query := range map[string][]string{
		"region":                   {"min_ms", "800", "max_ms", "1000"},
		"filter":                   {"select", "duration_ms > 800"},
		"region within population": {"min_ms", "800", "filter", "type = 'request'"},
	} {
		t.Run(name, func(t *testing.T) {
			got := decodeAnswer[Comparison](t, s, "compare", append(query, "from", from, "to", to)...)
			if got.Selection.Records != uint64(slow) || got.Selection.Read != uint64(slow) || got.Baseline.Read != uint64(len(all)-slow) || got.Selection.Sample != nil {
				t.Errorf("sides %+v and %+v, want %d and %d", got.Selection, got.Baseline, slow, len(all)-slow)
			}
			if len(got.Findings) != 2 {
				t.Fatalf("%+v", got.Findings)
			}
			first, second := got.Findings[0], got.Findings[1]
			if first.Field != "release" || first.Value != "v2" || first.SelectedShare != 1 || first.Baseline != 0 || first.Filter != "release = 'v2'" {
				t.Errorf("first: %+v", first)
			}
			if second.Field != "correlation['user_id']" || second.Value != "it's" || second.SelectedShare != 0.5 || second.Score > first.Score {
				t.Errorf("second: %+v", second)
			}
			rows := decodeAnswer[Rows](t, s, "requests", "from", from, "to", to, "filter", second.Filter)
			if uint64(len(rows.Rows)) != second.Selected+second.Baseline {
				t.Errorf("%s finds %d rows, want %d", second.Filter, len(rows.Rows), second.Selected+second.Baseline)
			}
		})
	}
	hour := decodeAnswer[Comparison](t, s, "compare", "from", from, "to", to, "select_from", from, "select_to", figuresStart.Add(time.Hour).Format(time.RFC3339))
	if want := uint64(len(within(all, figuresStart, figuresStart.Add(time.Hour), nil))); hour.Selection.Read != want || hour.Baseline.Read != uint64(len(all))-want {
		t.Errorf("an hour against the rest: %+v, %+v, want %d", hour.Selection, hour.Baseline, want)
	}
}
