package queryserver

import (
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// level is a rollup: its table, the column its time is in, and its resolution.
type level struct {
	table, column string
	step          time.Duration
}

// The rollups, coarsest first.
var (
	countLevels   = []level{{"cnt_h", "hour", time.Hour}, {"cnt_m", "minute", time.Minute}}
	latencyLevels = []level{{"lat_h", "hour", time.Hour}, {"lat_q", "quarter", 15 * time.Minute}, {"lat_m", "minute", time.Minute}}
)

// segment is a window to be read from one table; a zero level means raw rows.
type segment struct {
	level
	window
	period int // which period of a comparison it belongs to
}

// cut covers a window exactly: whole steps from the coarsest rollup, what is
// left on either side from the next finer one, the edges from raw rows.
func cut(w window, levels []level, period int) []segment {
	if !w.From.Before(w.To) {
		return nil
	}
	if len(levels) == 0 {
		return []segment{{window: w, period: period}}
	}
	l, finer := levels[0], levels[1:]
	inner := window{From: ceil(w.From, l.step), To: floor(w.To, l.step)}
	if !inner.From.Before(inner.To) {
		return cut(w, finer, period)
	}
	out := cut(window{w.From, inner.From}, finer, period)
	out = append(out, segment{level: l, window: inner, period: period})
	return append(out, cut(window{inner.To, w.To}, finer, period)...)
}

// fitting leaves the levels whose steps divide step, so that no row of a rollup
// straddles two columns of a chart.
func fitting(levels []level, step time.Duration) []level {
	for i, l := range levels {
		if step%l.step == 0 {
			return levels[i:]
		}
	}
	return nil
}

// source names the table that most of the segments' time is read from.
func source(segments []segment) string {
	best, longest := "requests", time.Duration(0)
	for _, s := range segments {
		if s.Span() > longest {
			longest = s.Span()
			best = s.table
			if best == "" {
				best = "requests"
			}
		}
	}
	return best
}

func floor(t time.Time, step time.Duration) time.Time {
	s := int64(step / time.Second)
	return time.Unix(floorDiv(t.Unix(), s)*s, 0).UTC()
}

func ceil(t time.Time, step time.Duration) time.Time {
	f := floor(t, step)
	if f.Before(t) {
		return f.Add(step)
	}
	return f
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// rollupColumns are the dimensions of the rollups of counts.
var rollupColumns = map[string]bool{"service": true, "route": true, "method": true, "status": true, "type": true}

// onRollup says whether every condition is on a dimension of the rollups.
func onRollup(conditions []filter.Node) bool {
	for _, c := range conditions {
		if !filter.ReadsOnly(c, rollupColumns) {
			return false
		}
	}
	return true
}

// sqlSegment is a segment as the statements under sql/ take it.
type sqlSegment struct {
	Table, Column, From, To, Where string
	Raw                            bool
	Period                         int
}

// bindSegments binds the bounds of segments and the conditions within them.
func bindSegments(segments []segment, conditions []filter.Node, p *params) []sqlSegment {
	where := compileWhere(conditions, record.Request, p)
	where = strings.ReplaceAll(where, "\n  ", " ")
	out := make([]sqlSegment, len(segments))
	for i, s := range segments {
		out[i] = sqlSegment{Table: s.table, Column: s.column, Where: where, Period: s.period}
		if s.table == "" {
			out[i].Raw = true
			out[i].From, out[i].To = p.nanos(s.From.UnixNano()), p.nanos(s.To.UnixNano())
		} else {
			out[i].From, out[i].To = p.seconds(s.From.Unix()), p.seconds(s.To.Unix())
		}
	}
	return out
}

// niceSteps are the widths a column of a chart may have.
var niceSteps = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// grid is the time axis of a chart: columns of equal width, the first of which
// starts on a multiple of the width.
type grid struct {
	start   time.Time
	step    time.Duration
	columns int
}

// gridOf cuts a window into at most about n columns.
func gridOf(w window, n int) grid {
	step := niceSteps[len(niceSteps)-1]
	for _, s := range niceSteps {
		if w.Span() <= s*time.Duration(n) {
			step = s
			break
		}
	}
	g := grid{start: floor(w.From, step), step: step}
	g.columns = int((ceil(w.To, step).Sub(g.start)) / step)
	return g
}

// column is the SQL for the column that a row of time t falls into.
func (g grid) column(p *params) string {
	return "intDiv(toInt64(toUnixTimestamp(t)) - " + p.number(g.start.Unix()) + ", " + p.number(int64(g.step/time.Second)) + ")"
}

// end is where the last column ends.
func (g grid) end() time.Time { return g.start.Add(time.Duration(g.columns) * g.step) }
