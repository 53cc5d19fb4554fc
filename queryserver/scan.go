package queryserver

import (
	"context"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// planScan asks how many rows of a table would be read for a filter, which the
// store knows from its indexes.
func planScan(project string, kind record.Kind, e *filter.Expr, w window) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "scan", SQL: render("scan", map[string]any{
		"Table": table(kind), "From": p.nanos(w.From.UnixNano()), "To": p.nanos(w.To.UnixNano()), "Where": matching(e, kind, w, p),
	}), Params: p.values, Settings: cloneSettings(figureSettings)}
}

// rowsToRead estimates what a question would read.
func (a *api) rowsToRead(ctx context.Context, project string, kind record.Kind, e *filter.Expr, w window) (uint64, error) {
	var rows uint64
	_, err := a.ask(ctx, planScan(project, kind, e, w), func(r *clickhouse.Reader) {
		rows += readEstimate(r, table(kind))
	})
	return rows, err
}

// readEstimate gives the rows of a table in a row of EXPLAIN ESTIMATE, 0 where it
// is of another table.
func readEstimate(r *clickhouse.Reader, table string) uint64 {
	_, name, _, rows, _ := r.String(), r.String(), r.Uint64(), r.Uint64(), r.Uint64() // database, table, parts, rows, marks
	if name != table {
		return 0
	}
	return rows
}
