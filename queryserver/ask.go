package queryserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// ask runs a statement. A store without a schema has no rows: nothing was
// stored yet. Other failures come back as a *Problem that says what to do.
func (a *api) ask(ctx context.Context, q clickhouse.Query, row func(*clickhouse.Reader)) (clickhouse.Stats, error) {
	stats, err := a.store.Select(ctx, q, row)
	if err == nil || clickhouse.IsNoSchema(err) {
		return stats, nil
	}
	return stats, storeProblem(ctx, err)
}

// storeProblem says what a failure of the store means for the reader. The
// store's own words go to the log: they quote statements.
func storeProblem(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return problem(499, "the client went away") // nobody reads it; 499 is what access logs call this
	case clickhouse.IsTimeout(err), errors.Is(err, context.DeadlineExceeded):
		slog.WarnContext(ctx, "statement took too long", "error", err)
		return problem(http.StatusGatewayTimeout, "the question took longer than it may: narrow the time window or the filter")
	case errors.Is(err, clickhouse.ErrUnreachable):
		slog.WarnContext(ctx, "store unreachable", "error", err)
		return problem(http.StatusServiceUnavailable, "the store does not answer: see that `trackway engine` or the ClickHouse server runs at clickhouse.endpoint, then try again")
	case clickhouse.IsOverloaded(err):
		slog.WarnContext(ctx, "store overloaded", "error", err)
		return problem(http.StatusServiceUnavailable, "the store has no room for this question now: narrow the time window, or try again in a moment")
	case clickhouse.IsTooMuch(err):
		slog.WarnContext(ctx, "statement went over its limit", "error", err)
		return problem(http.StatusBadRequest, "the question comes to more values or groups than an answer may take: narrow the filter or the time window, or choose fields with fewer values")
	case clickhouse.IsDenied(err):
		slog.ErrorContext(ctx, "store refused the credentials", "error", err)
		return problem(http.StatusServiceUnavailable, "the store refuses the query server: see clickhouse.username and clickhouse.password in its configuration")
	}
	slog.ErrorContext(ctx, "statement failed", "error", err)
	return problem(http.StatusInternalServerError, "the store could not answer; the query server's log has the reason")
}
