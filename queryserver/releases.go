package queryserver

import (
	"context"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// seenRelease is when a release was seen.
type seenRelease struct {
	serviceRelease
	first, last time.Time
}

// newReleases finds the releases of services that were first seen in a window and
// not in the day before. Where all records are too many it looks at slices of
// time, and then closely at what lies before the first slice that has the release.
func (a *api) newReleases(ctx context.Context, project, service string, w window, limit int) ([]Marker, error) {
	wide := window{From: later(earliest, w.From.Add(-releasesBefore)), To: w.To}
	rows, err := a.rowsToRead(ctx, project, record.Request, &filter.Expr{}, wide)
	if err != nil {
		return nil, err
	}
	s := sampleOf(wide, rows, releasesRows)
	seen, err := a.seenReleases(ctx, project, s, nil)
	if err != nil {
		return nil, err
	}
	var fresh []seenRelease
	for _, r := range seen { // in order of time
		if !r.first.Before(w.From) && (service == "" || r.service == service || r.service == "") {
			fresh = append(fresh, r)
		}
	}
	fresh = fresh[max(0, len(fresh)-limit):]
	if s.slices > 0 && len(fresh) > 0 {
		if fresh, err = a.lookClosely(ctx, project, w, s, fresh); err != nil {
			return nil, err
		}
	}
	out := make([]Marker, 0, len(fresh))
	for _, r := range fresh {
		m := Marker{TS: r.first, MarkerValues: MarkerValues{Title: strings.TrimSpace(r.service + " " + r.release), Release: r.release, Service: r.service}, Automatic: true}
		if s.slices > 0 {
			m.PrecisionMS = milliseconds(int64(s.stratum))
		}
		out = append(out, m)
	}
	return out, nil
}

func (a *api) seenReleases(ctx context.Context, project string, s sample, only []serviceRelease) ([]seenRelease, error) {
	var out []seenRelease
	_, err := a.ask(ctx, planReleases(project, s, only), func(r *clickhouse.Reader) {
		seen := seenRelease{serviceRelease: serviceRelease{r.String(), r.String()}}
		seen.first, seen.last = time.Unix(0, r.Int64()).UTC(), time.Unix(0, r.Int64()).UTC()
		_ = r.Uint64()
		out = append(out, seen)
	})
	return out, err
}

// maxCloseLooks bounds the places that are read again in full.
const maxCloseLooks = 10

// lookClosely finds the first record of releases in the two strata up to the slice
// that they were seen in. Past maxCloseLooks the slice's own time is kept.
func (a *api) lookClosely(ctx context.Context, project string, w window, s sample, found []seenRelease) ([]seenRelease, error) {
	for i := range found[:min(len(found), maxCloseLooks)] {
		near := window{From: later(w.From, found[i].first.Add(-2*s.stratum)), To: found[i].first.Add(1)}
		nearby, err := a.seenReleases(ctx, project, sample{window: near, fraction: 1}, []serviceRelease{found[i].serviceRelease})
		if err != nil {
			return nil, err
		}
		if len(nearby) == 1 {
			found[i].first = nearby[0].first
		}
	}
	return found, nil
}
