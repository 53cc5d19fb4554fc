package convert

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// maxAhead is how far ahead of the receiver a sender's clock may be. One bad
// clock must not make partitions in the future that everybody's reads visit.
const maxAhead = 10 * time.Minute

// clock decides the time of records that arrived at one moment.
type clock struct {
	now    time.Time
	newest pcommon.Timestamp // later ones are clamped
	oldest pcommon.Timestamp // earlier ones are dropped
	// ttlDays is the retention that oldest comes from.
	ttlDays uint16
}

func newClock(now time.Time, ttlDays uint16) clock {
	return clock{
		now:    now.UTC(),
		newest: pcommon.NewTimestampFromTime(now.Add(maxAhead)),
		oldest: pcommon.NewTimestampFromTime(now.AddDate(0, 0, -int(ttlDays))),

		ttlDays: ttlDays,
	}
}

// at gives the time of a record, a mark when it is not the sender's, and
// whether the record is within the retention.
func (c clock) at(ts pcommon.Timestamp) (t time.Time, mark string, ok bool) {
	switch {
	case ts == 0:
		return c.now, conventions.MarkTimeAbsent, true
	case ts > c.newest:
		return c.now, conventions.MarkClamped, true
	case ts < c.oldest:
		return time.Time{}, "", false
	}
	return ts.AsTime(), "", true
}
