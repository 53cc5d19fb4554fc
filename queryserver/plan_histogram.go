package queryserver

import (
	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// histogramKeys are what a histogram can be split by, as SQL over the columns of
// the counts. All are dimensions of the rollups.
var histogramKeys = map[string]string{
	"":             "''",
	"status_class": "if(status = 0, 'none', concat(toString(intDiv(status, 100)), 'xx'))",
	"status":       "toString(status)",
	"service":      "toString(service)",
	"route":        "toString(route)",
	"method":       "toString(method)",
}

// planHistogram counts requests per column of the grid and key. It gives the
// table most of the answer comes from.
func planHistogram(project string, expr *filter.Expr, w window, g grid, by string) (clickhouse.Query, string) {
	p := newParams(project)
	conditions := filter.Conjuncts(expr)
	q := clickhouse.Query{Name: "histogram", Settings: map[string]string{"precise_float_parsing": "1"}}
	data := map[string]any{"Column": g.column(p), "Key": histogramKeys[by]}
	from := "requests"
	if segments := cut(w, fitting(countLevels, g.step), 0); onRollup(conditions) {
		from = source(segments)
		data["Segments"] = bindSegments(segments, conditions, p)
		q.SQL = render("histogram", data)
	} else {
		data["From"], data["To"] = p.nanos(w.From.UnixNano()), p.nanos(w.To.UnixNano())
		data["Narrow"] = narrow(conditions, record.Request, w, p)
		data["Where"] = compileWhere(conditions, record.Request, p)
		q.SQL = render("histogram_raw", data)
	}
	q.Params = p.values
	return q, from
}
