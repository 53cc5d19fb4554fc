package queryserver

import (
	"strconv"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// groupsQuestion asks for figures by one to three fields.
type groupsQuestion struct {
	project   string
	kind      record.Kind
	filter    *filter.Expr
	window    window
	by        []field
	latencies bool // percentiles are wanted
	compare   bool // with the period before
}

// maxGroups bounds the groups of one answer of the store, of each period: the most
// frequent ones. Sorting by another figure is among them.
const maxGroups = 10_000

// maxKeys bounds the groups that the store makes at all.
const maxKeys = 1_000_000

// before is the window of equal length before.
func (w window) before() window {
	return window{From: later(earliest, w.From.Add(-w.Span())), To: w.From}
}

// onRollups says whether the rollups know the fields and the filter. The rollups
// of latencies know no status.
func (q groupsQuestion) onRollups() bool {
	dimensions := rollupColumns
	if q.latencies {
		dimensions = latencyColumns
	}
	if q.kind != record.Request || !readsOnly(q.filter, dimensions) {
		return false
	}
	for _, f := range q.by {
		if !f.inRollup(dimensions) {
			return false
		}
	}
	return true
}

// segments cuts the periods asked for.
func (q groupsQuestion) segments(levels []level) []segment {
	out := cut(q.window, levels, current)
	if q.compare {
		out = append(cut(q.window.before(), levels, previous), out...)
	}
	return out
}

// planGroupCounts gives rows of period, keys, count, errors, weight and bytes.
func planGroupCounts(q groupsQuestion) clickhouse.Query {
	p := newParams(q.project)
	return q.query("groups_counts", p, map[string]any{
		"Keys": q.keys(p), "Segments": matchingSegments(q.segments(countLevels), q.filter, p),
	})
}

// planGroupLatencies gives rows of period, keys, and two arrays, latency buckets
// and their counts.
func planGroupLatencies(q groupsQuestion) clickhouse.Query {
	p := newParams(q.project)
	return q.query("groups_latencies", p, map[string]any{
		"Keys": q.keys(p), "Segments": matchingSegments(q.segments(latencyLevels), q.filter, p),
	})
}

// planGroupRows gives rows of both: period, keys, count, errors, weight, bytes,
// latency buckets and their counts.
func planGroupRows(q groupsQuestion) clickhouse.Query {
	p := newParams(q.project)
	w := q.window
	if q.compare {
		w.From = w.before().From
	}
	data := map[string]any{
		"Keys": q.keys(p), "Table": table(q.kind), "Middle": p.nanos(q.window.From.UnixNano()),
		"From": p.nanos(w.From.UnixNano()), "To": p.nanos(w.To.UnixNano()),
		"Where": matching(q.filter, q.kind, w, p), "Latencies": q.latencies,
		"Error": errorSQL[q.kind], "Bytes": bytesSQL[q.kind],
	}
	out := q.query("groups_rows", p, data)
	out.Settings["max_rows_to_group_by"], out.Settings["group_by_overflow_mode"] = strconv.Itoa(maxKeys), "throw"
	return out
}

// What is an error, and what has a size, by kind of record.
var (
	errorSQL = map[record.Kind]string{
		record.Request: "status >= 500",
		record.Span:    "span_status = 'error'",
		record.Event:   "severity >= 17",
	}
	bytesSQL = map[record.Kind]string{
		record.Request: "request_bytes + response_bytes",
		record.Span:    "request_bytes + response_bytes",
		record.Event:   "0",
	}
)

func (q groupsQuestion) keys(p *params) []string {
	out := make([]string, len(q.by))
	for i, f := range q.by {
		out[i] = f.sql(q.kind, p)
	}
	return out
}

func (q groupsQuestion) query(name string, p *params, data map[string]any) clickhouse.Query {
	data["Limit"] = maxGroups + 1
	return clickhouse.Query{Name: name, SQL: render(name, data), Params: p.values, Settings: cloneSettings(figureSettings)}
}
