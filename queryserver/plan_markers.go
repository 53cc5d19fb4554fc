package queryserver

import (
	"strings"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

const (
	// releasesRows is how many rows are read to find releases; of more, slices.
	releasesRows = 1_000_000
	// releasesBefore is how long a release must not have been seen to count as new.
	releasesBefore = 24 * time.Hour
	// maxReleases bounds the pairs of service and release that are looked at.
	maxReleases = 2_000
)

// serviceRelease is a release of a service.
type serviceRelease struct{ service, release string }

// planReleases gives when each release of each service was seen first and last, and
// how many requests it had. Where some are named, only those.
func planReleases(project string, s sample, only []serviceRelease) clickhouse.Query {
	p := newParams(project)
	named := make([]string, len(only))
	for i, r := range only {
		named[i] = "(" + p.text(r.service) + ", " + p.text(r.release) + ")"
	}
	data := map[string]any{"Sample": s.where(p), "Only": "", "Limit": maxReleases}
	if len(named) > 0 {
		data["Only"] = "\n  AND (service, release) IN (" + strings.Join(named, ", ") + ")"
	}
	return clickhouse.Query{Name: "releases", SQL: render("releases", data), Params: p.values}
}
