package queryserver

import (
	"slices"
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// rowsQuestion asks for a page of records of one kind.
type rowsQuestion struct {
	project   string
	columns   columnSet
	filter    *filter.Expr
	window    window
	cursor    *record.ID // the last record of the page before, nil on the first
	limit     int
	ascending bool
	settled   window   // where guides can be asked
	ranges    []window // all there is in the window, where a guide knows
}

// maxPage is the most rows a page may have. The store reads the wide columns of
// a page only for the rows that made it, up to this many.
const maxPage = 10_000

// rowSettings hold for every statement that reads a page.
var rowSettings = map[string]string{
	// Measured on 102M requests: rare filters 833 → 240 ms without it.
	"use_top_k_dynamic_filtering": "0",
	// Wide columns are read for the rows of the page only.
	"query_plan_optimize_lazy_materialization":      "1",
	"query_plan_max_limit_for_lazy_materialization": strconv.Itoa(maxPage + 1),
	"precise_float_parsing":                         "1",
}

// planRows gives the statements that make up the page, to be asked one after the
// other until it is full: the nearest hour, the nearest day, the rest. Dense
// filters are then answered from little data, rare ones pay two small reads. A
// single correlation key needs no windows: the journey has it in order.
func planRows(q rowsQuestion) []clickhouse.Query {
	if key := q.onlyKey(); key != nil {
		return []clickhouse.Query{planRowsOfKey(q, key)}
	}
	windows := growingWindows(q.bounded(), q.ascending)
	out := make([]clickhouse.Query, len(windows))
	for i, w := range windows {
		out[i] = planRowsIn(q, w)
		if i == len(windows)-1 && i > 0 && q.filter.Root != nil {
			// What was not found in a day is rare: reading in parallel beats
			// reading in order.
			out[i].Settings["optimize_read_in_order"] = "0"
		}
	}
	return out
}

// onlyKey is the filter's condition when that is one correlation key.
func (q rowsQuestion) onlyKey() *filter.Compare {
	if cs := filter.Conjuncts(q.filter); len(cs) == 1 {
		return keyOf(cs[0])
	}
	return nil
}

// keyOf is the condition when it asks for what the journey is sorted by.
func keyOf(n filter.Node) *filter.Compare {
	c, ok := n.(*filter.Compare)
	if !ok {
		return nil
	}
	if e, ok := filter.KeyEquality(c); !ok || !e.Whole {
		return nil
	}
	return c
}

// bounded is the window without what earlier pages have shown. The record of the
// cursor's own nanosecond stay in it.
func (q rowsQuestion) bounded() window {
	w := q.window
	if q.cursor == nil {
		return w
	}
	if q.ascending {
		w.From = later(w.From, q.cursor.Time)
	} else {
		w.To = earlier(w.To, q.cursor.Time.Add(1))
	}
	return w
}

// growingWindows cuts a window into the hour and the day at the end reading
// starts from, and what is left.
func growingWindows(w window, ascending bool) []window {
	var out []window
	near := time.Duration(0)
	for _, far := range []time.Duration{time.Hour, 24 * time.Hour, w.Span()} {
		far = min(far, w.Span())
		if far <= near {
			continue
		}
		if ascending {
			out = append(out, window{w.From.Add(near), w.From.Add(far)})
		} else {
			out = append(out, window{w.To.Add(-far), w.To.Add(-near)})
		}
		near = far
	}
	return out
}

// beyondFirst is what the first of the growing windows leaves.
func (q rowsQuestion) beyondFirst() window {
	w := q.bounded()
	if near := growingWindows(w, q.ascending)[0].Span(); q.ascending {
		w.From = w.From.Add(near)
	} else {
		w.To = w.To.Add(-near)
	}
	return w
}

// planRowsIn reads a page within a window in two steps. The inner statement finds
// the times of the page, reading no further than the page is long, because it
// sorts by the primary key alone; the outer one reads all columns at those times
// and puts rows that share a time in order. Sorting by (ts, rid) at once reads
// ten times as much: see docs/adr/0006-planner.md.
func planRowsIn(q rowsQuestion, w window) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(w, p)
	conditions := filter.Conjuncts(q.filter)
	data["Narrow"] = narrow(conditions, q.columns.kind, w, p)
	if len(q.ranges) > 0 {
		data["Narrow"] = narrow(conditions, q.columns.kind, w, p) + "\n  AND indexHint(" + rangesOf("ts", q.ranges, p) + ")"
	}
	data["Where"] = compileWhere(conditions, q.columns.kind, p)
	return clickhouse.Query{Name: "rows", SQL: render("rows", data), Params: p.values, Settings: cloneSettings(rowSettings)}
}

// planRowsOfKey reads a page of what carries a correlation key. The journey names
// the rows, so the maps of correlation keys need not be read.
func planRowsOfKey(q rowsQuestion, key *filter.Compare) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(q.bounded(), p)
	data["Key"] = journeyRange(key, q.columns.kind, p)
	return clickhouse.Query{Name: "rows_of_key", SQL: render("rows_of_key", data), Params: p.values, Settings: cloneSettings(rowSettings)}
}

// data is what all statements that read a page have in common.
func (q rowsQuestion) data(w window, p *params) map[string]any {
	order, after := "DESC", "<"
	if q.ascending {
		order, after = "ASC", ">"
	}
	data := map[string]any{
		"Columns": q.columns.list(), "Table": table(q.columns.kind),
		"From": p.nanos(w.From.UnixNano()), "To": p.nanos(w.To.UnixNano()),
		"Order": order, "Limit": q.limit + 1, // one more says whether a page follows
		"After": "",
	}
	if q.cursor != nil {
		data["After"] = "\n  AND (ts, rid) " + after + " (" + p.nanos(q.cursor.Time.UnixNano()) + ", " + p.uint(q.cursor.RID) + ")"
	}
	return data
}

// journeyRange is the primary-key range of the journey that holds a key, and the
// kind of record in it.
func journeyRange(c *filter.Compare, kind record.Kind, p *params) string {
	return "key = " + p.text(c.Key) + " AND value = " + p.text(c.Value.Text) + " AND kind = '" + kind.String() + "'"
}

// narrow adds what an index knows: the journey holds the rows of a correlation
// key as one range, the trace index the minutes of a trace. The conditions
// themselves stay in the statement, so an index may say too much.
func narrow(conditions []filter.Node, kind record.Kind, w window, p *params) string {
	var sql string
	for _, n := range conditions {
		if e, ok := filter.AttributeEquality(n, kind); ok && !e.Maybe {
			sql += "\n  AND hasAny(facet_items, [" + texts(filter.FacetItems(e), p) + "])"
		}
		c, ok := n.(*filter.Compare)
		switch {
		case !ok || c.Op != filter.Eq || !c.Column.In(kind):
		case keyOf(c) != nil:
			sql += "\n  AND (ts, rid) IN (SELECT ts, rid FROM journey WHERE project = {project:String}" +
				" AND " + journeyRange(c, kind, p) +
				" AND ts >= " + p.nanos(w.From.UnixNano()) + " AND ts < " + p.nanos(w.To.UnixNano()) + ")"
		case c.Column.Name == "trace_id" && c.Value.Text != noTrace:
			sql += "\n  AND toStartOfMinute(toDateTime(ts, 'UTC')) IN (SELECT minute FROM trace_index WHERE project = {project:String}" +
				" AND h = reinterpretAsUInt32(unhex(" + p.text(c.Value.Text) + ")))"
		}
	}
	return sql
}

// noTrace is the id of records that belong to no trace. They are in no index.
const noTrace = "00000000000000000000000000000000"

func cloneSettings(s map[string]string) map[string]string {
	out := make(map[string]string, len(s)+1)
	for k, v := range s {
		out[k] = v
	}
	return out
}

func later(a, b time.Time) time.Time   { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
func earlier(a, b time.Time) time.Time { return slices.MinFunc([]time.Time{a, b}, time.Time.Compare) }
