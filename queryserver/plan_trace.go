package queryserver

import (
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

const (
	// maxTraceRecords is the most records one answer holds, as in a listing.
	maxTraceRecords = maxPage
	// maxTraceMinutes bounds how many minutes of the store a trace may touch. A
	// trace that lives for longer is shown from its start.
	maxTraceMinutes = 24 * 60
)

// traceQuestion asks for a trace's records of one kind.
type traceQuestion struct {
	project, id string
	kind        record.Kind
	minutes     []time.Time // in which the trace is, in order
	cursor      *record.ID  // the last record of the page before, nil on the first
	limit       int
}

// planTraceMinutes asks the trace index where a trace is. Only four bytes of the
// id are in it, so minutes of other traces may come along.
func planTraceMinutes(project, traceID string) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "trace_minutes", SQL: render("trace_minutes", map[string]any{
		"TraceID": p.text(traceID), "Limit": maxTraceMinutes + 1,
	}), Params: p.values}
}

// planTraceRecords reads records in the minutes of a trace.
func planTraceRecords(q traceQuestion, set columnSet) clickhouse.Query {
	p := newParams(q.project)
	type sqlRange struct{ From, To string }
	var ranges []sqlRange
	for _, w := range joinMinutes(q.minutes) {
		if q.cursor != nil {
			w.From = later(w.From, q.cursor.Time)
		}
		if w.From.Before(w.To) {
			ranges = append(ranges, sqlRange{p.nanos(w.From.UnixNano()), p.nanos(w.To.UnixNano())})
		}
	}
	data := map[string]any{
		"Columns": set.list(), "Table": table(set.kind), "Ranges": ranges,
		"TraceID": p.text(q.id), "Limit": q.limit, "After": "",
	}
	if q.cursor != nil {
		data["After"] = "\n  AND (ts, rid) > (" + p.nanos(q.cursor.Time.UnixNano()) + ", " + p.uint(q.cursor.RID) + ")"
	}
	return clickhouse.Query{Name: "trace_records", SQL: render("trace_records", data), Params: p.values, Settings: cloneSettings(rowSettings)}
}

// joinMinutes makes windows of minutes, neighbours as one.
func joinMinutes(minutes []time.Time) []window {
	var out []window
	for _, m := range minutes {
		end := m.Add(time.Minute)
		if n := len(out); n > 0 && !out[n-1].To.Before(m) {
			out[n-1].To = end
			continue
		}
		out = append(out, window{From: m, To: end})
	}
	return out
}
