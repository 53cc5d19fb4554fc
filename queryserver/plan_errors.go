package queryserver

import (
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// errorsQuestion asks for the error groups of records of a kind.
type errorsQuestion struct {
	project string
	kind    record.Kind
	filter  *filter.Expr
	window  window
	grid    grid
	sort    string
	group   uint64 // 0: all of them
}

const (
	// maxErrorGroups bounds the groups of one answer of the store. States are not
	// known to it, so that groups in one of them are looked for among these.
	maxErrorGroups = 10_000
	// maxErrorMessage is how much of a message a list shows, in characters.
	maxErrorMessage = 500
)

// errorOrders are the orders of groups, as SQL.
var errorOrders = map[string]string{
	"-last_seen": "last DESC", "last_seen": "last", "-first_seen": "first DESC", "first_seen": "first", "-count": "total DESC", "count": "total",
}

// planErrors gives rows of group, type, service, route, count, weight, when it was
// seen first and last, and the newest record's number; and arrays of equal length of
// release, first, last, column of the grid and count. The tables of counts know no
// errors, so that records are read: of those with an error more than one column.
func planErrors(q errorsQuestion) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(p)
	data["Column"], data["Order"], data["Limit"] = q.grid.column(p), errorOrders[q.sort], maxErrorGroups+1
	data["Route"] = "''"
	if q.kind == record.Request {
		data["Route"] = "toString(route)"
	}
	out := clickhouse.Query{Name: "errors", SQL: render("errors", data), Params: p.values, Settings: cloneSettings(figureSettings)}
	out.Settings["max_rows_to_group_by"], out.Settings["group_by_overflow_mode"] = strconv.Itoa(maxKeys), "throw"
	return out
}

// planErrorMessages gives the groups and messages of records.
func planErrorMessages(q errorsQuestion, records []record.ID) clickhouse.Query {
	p := newParams(q.project)
	times, rids := make([]string, len(records)), make([]string, len(records))
	for i, id := range records {
		times[i], rids[i] = strconv.FormatInt(id.Time.UnixNano(), 10), strconv.FormatUint(id.RID, 10)
	}
	data := map[string]any{
		"Table": table(q.kind), "From": p.nanos(q.window.From.UnixNano()), "To": p.nanos(q.window.To.UnixNano()), "Length": maxErrorMessage,
		"Times": p.bind("["+strings.Join(times, ",")+"]", "Array(Int64)"), "RIDs": p.bind("["+strings.Join(rids, ",")+"]", "Array(UInt64)"),
	}
	return clickhouse.Query{Name: "errors_messages", SQL: render("errors_messages", data), Params: p.values}
}

// planErrorSamples gives the newest records of a group with message and stack.
func planErrorSamples(q errorsQuestion, limit int) clickhouse.Query {
	p := newParams(q.project)
	data := q.data(p)
	data["Limit"] = limit
	return clickhouse.Query{Name: "errors_samples", SQL: render("errors_samples", data), Params: p.values, Settings: cloneSettings(rowSettings)}
}

// data is what all statements on errors have.
func (q errorsQuestion) data(p *params) map[string]any {
	group := "error_group != 0"
	if q.group != 0 {
		group = "error_group = " + p.uint(q.group)
	}
	return map[string]any{
		"Table": table(q.kind), "From": p.nanos(q.window.From.UnixNano()), "To": p.nanos(q.window.To.UnixNano()),
		"Group": group, "Where": matching(q.filter, q.kind, q.window, p),
	}
}
