package queryserver

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// guide is a small table that knows in which steps of time records can be that
// match a part of a filter. It may say too much, never too little, once all tables
// have a record.
type guide struct {
	hour, minute level
	conditions   []filter.Node // on dimensions of the rollup
	buckets      *[2]uint8     // latency buckets, both inclusive
	// key and items are of the guide by the journey, whose levels have no table.
	key   *filter.Equality
	items []string // entries of facet_items that serve as well as the key
	kind  record.Kind
}

// guidesFor gives what is known beforehand about records that match all conditions.
func guidesFor(conditions []filter.Node, kind record.Kind) []guide {
	var out []guide
	for _, n := range conditions {
		if g, ok := keyGuide(n, kind); ok {
			out = append(out, g)
		}
	}
	if kind != record.Request {
		return out
	}
	var counted, timed []filter.Node
	least, greatest := uint64(0), uint64(math.MaxUint64)
	for _, n := range conditions {
		if filter.ReadsOnly(n, rollupColumns) {
			counted = append(counted, n)
		}
		if filter.ReadsOnly(n, latencyColumns) {
			timed = append(timed, n)
		}
		l, g := filter.Durations(n)
		least, greatest = max(least, l), min(greatest, g)
	}
	bounded := least > 0 || greatest < math.MaxUint64
	if bounded {
		out = append(out, guide{hour: latencyLevels[0], minute: latencyLevels[2], conditions: timed,
			buckets: &[2]uint8{schema.Bucket(least), schema.Bucket(greatest)}, kind: kind})
	}
	// The rollup of latencies has said all but what is on the status.
	if len(counted) > 0 && (!bounded || len(counted) > len(timed)) {
		out = append(out, guide{hour: countLevels[0], minute: countLevels[1], conditions: counted, kind: kind})
	}
	return out
}

// keyGuide is the journey's. A bare name may be an attribute's instead of a key's;
// where that is stored in a column, nothing is known.
func keyGuide(n filter.Node, kind record.Kind) (guide, bool) {
	e, ok := filter.KeyEquality(n)
	if !ok {
		return guide{}, false
	}
	g := guide{hour: level{step: time.Hour}, minute: level{step: time.Minute}, key: &e, kind: kind}
	if e.Maybe {
		attribute, ok := filter.AttributeEquality(n, kind)
		if !ok {
			return guide{}, false
		}
		g.items = filter.FacetItems(attribute)
	}
	return g, true
}

// unsettled is how long ago a time is at least before guides are asked about it.
// The tables of a unit are written one after the other, records first.
const unsettled = 5 * time.Minute

// settledAt is the window in which guides know of what the tables of records have,
// apart from what comes late. Rollups live as long as their TTL, which that of
// records can be set beyond; the day less is for the period a row of them stands for.
func settledAt(now time.Time) window {
	return window{now.AddDate(0, 0, 1-schema.DefaultRollupTTLDays), now.Add(-unsettled)}
}

// stretch is a part of a window, to be read with guides or without.
type stretch struct {
	window
	guided bool
}

// stretches cuts a window into what is settled and what is before and after that,
// in the order in which it is read.
func (q rowsQuestion) stretches(w window) []stretch {
	var out []stretch
	for _, s := range []stretch{
		{window: window{w.From, earlier(w.To, q.settled.From)}},
		{window: window{later(w.From, q.settled.From), earlier(w.To, q.settled.To)}, guided: true},
		{window: window{later(w.From, q.settled.To), w.To}},
	} {
		if s.From.Before(s.To) {
			out = append(out, s)
		}
	}
	if !q.ascending {
		slices.Reverse(out)
	}
	return out
}

// planGuide asks for the steps of a level within ranges, and how many records
// each can hold at most: rows of the step's start, in seconds, and a count.
func planGuide(project string, g guide, l level, ranges []window) clickhouse.Query {
	p := newParams(project)
	if g.key != nil {
		return clickhouse.Query{Name: "guide_key", SQL: render("guide_key", map[string]any{
			"Step": int64(l.step / time.Second), "Key": p.text(g.key.Key), "Values": texts(g.key.Values, p), "Items": texts(g.items, p),
			"Kind": g.kind.String(), "Table": table(g.kind), "Ranges": rangesOf("ts", ranges, p),
		}), Params: p.values}
	}
	where := compileWhere(g.conditions, g.kind, p)
	if g.buckets != nil {
		where += "\n  AND b BETWEEN " + strconv.Itoa(int(g.buckets[0])) + " AND " + strconv.Itoa(int(g.buckets[1]))
	}
	return clickhouse.Query{Name: "guide", SQL: render("guide", map[string]any{
		"Table": l.table, "Column": l.column, "Ranges": rangesOf(l.column, ranges, p), "Where": where,
	}), Params: p.values}
}

func texts(values []string, p *params) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = p.text(v)
	}
	return strings.Join(out, ", ")
}

// rangesOf is the condition that a column of time lies in one of the ranges.
func rangesOf(column string, ranges []window, p *params) string {
	out := make([]string, len(ranges))
	for i, w := range ranges {
		bind := func(t time.Time) string { return p.seconds(t.Unix()) }
		if column == "ts" {
			bind = func(t time.Time) string { return p.nanos(t.UnixNano()) }
		}
		out[i] = column + " >= " + bind(w.From) + " AND " + column + " < " + bind(w.To)
	}
	return strings.Join(out, " OR ")
}

// stepCount is a step of time and the most records that can match in it.
type stepCount struct {
	start int64 // seconds
	n     uint64
}

// inAll leaves the steps that every guide has, in the order in which they are read.
func inAll(guides []map[int64]uint64, ascending bool) []stepCount {
	var out []stepCount
	for start, n := range guides[0] {
		for _, other := range guides[1:] {
			n = min(n, other[start])
		}
		if n > 0 {
			out = append(out, stepCount{start, n})
		}
	}
	slices.SortFunc(out, func(a, b stepCount) int {
		if ascending {
			return int(a.start - b.start)
		}
		return int(b.start - a.start)
	})
	return out
}

// takeSteps splits off the first steps that can hold n records together.
func takeSteps(steps []stepCount, n uint64) (taken, rest []stepCount, total uint64) {
	for i, s := range steps {
		if total += s.n; total >= n {
			return steps[:i+1], steps[i+1:], total
		}
	}
	return steps, nil, total
}

// maxRanges is how many ranges one statement names: more would take longer to
// look up in the index than what lies between them takes to read.
const maxRanges = 128

// rangesIn gives steps as ranges within a window, in order of time. Neighbours are
// merged, and those with the smallest gaps where there are too many.
func rangesIn(w window, steps []stepCount, step time.Duration) []window {
	starts := make([]int64, len(steps))
	for i, s := range steps {
		starts[i] = s.start
	}
	slices.Sort(starts)
	for gap := time.Duration(0); ; gap = 2*gap + step {
		var out []window
		for _, start := range starts {
			from := later(w.From, time.Unix(start, 0).UTC())
			to := earlier(w.To, time.Unix(start, 0).UTC().Add(step))
			switch last := len(out) - 1; {
			case !from.Before(to):
			case last >= 0 && from.Sub(out[last].To) <= gap:
				out[last].To = to
			default:
				out = append(out, window{from, to})
			}
		}
		if len(out) <= maxRanges {
			return out
		}
	}
}

// planRowsAt is planRowsIn for a few ranges, outside of which nothing matches
// between the first and the last. The ranges are for the index alone: they would
// be compared one after the other with each row.
func planRowsAt(q rowsQuestion, ranges []window) clickhouse.Query {
	w := window{ranges[0].From, ranges[len(ranges)-1].To}
	q.ranges = ranges
	return planRowsIn(q, w)
}
