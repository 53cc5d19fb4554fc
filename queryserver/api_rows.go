package queryserver

import (
	"context"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// rowsInput are the parameters of the three listings.
type rowsInput struct {
	ProjectParam
	WindowParams
	Filter  string   `query:"filter" doc:"Which records, in the filter language. Default: everything." example:"status >= 500 AND route = '/projects/:id/tasks'"`
	Limit   int      `query:"limit" default:"100" minimum:"1" maximum:"10000" doc:"Most rows in the page."`
	Cursor  string   `query:"cursor" doc:"next_cursor of the page before."`
	Columns []string `query:"columns" doc:"Fields wanted, separated by commas. Default: all. id, type, ts, project and service are always there."`
	Order   string   `query:"order" enum:"desc,asc" default:"desc" doc:"By time: newest first, or oldest first."`
}

// Rows is a page of records.
type Rows struct {
	Rows       []record.JSON `json:"rows"`
	NextCursor string        `json:"next_cursor,omitempty" doc:"Give it as cursor to get the next page; absent on the last."`
	Stats      Stats         `json:"stats"`
}

func (a *api) listRequests(ctx context.Context, in *rowsInput) (*answer[Rows], error) {
	return a.list(ctx, in, record.Request)
}

func (a *api) listSpans(ctx context.Context, in *rowsInput) (*answer[Rows], error) {
	return a.list(ctx, in, record.Span)
}

func (a *api) listEvents(ctx context.Context, in *rowsInput) (*answer[Rows], error) {
	return a.list(ctx, in, record.Event)
}

func (a *api) list(ctx context.Context, in *rowsInput, kind record.Kind) (*answer[Rows], error) {
	q, err := a.rowsQuestion(in, kind)
	if err != nil {
		return nil, err
	}
	found, stats, err := a.page(ctx, q)
	if err != nil {
		return nil, err
	}
	out := Rows{Rows: make([]record.JSON, 0, len(found)), Stats: statsOf(stats)}
	if len(found) > q.limit {
		found = found[:q.limit]
		out.NextCursor = found[q.limit-1].ID().String()
	}
	for i := range found {
		out.Rows = append(out.Rows, q.columns.json(&found[i]))
	}
	return &answer[Rows]{Body: out}, nil
}

func (a *api) rowsQuestion(in *rowsInput, kind record.Kind) (rowsQuestion, error) {
	now := a.now()
	q := rowsQuestion{project: in.Project, limit: in.Limit, ascending: in.Order == "asc", settled: settledAt(now)}
	var err error
	if q.filter, err = a.parseFilter(in.Filter); err != nil {
		return q, err
	}
	if q.window, err = in.resolve(now, a.retention); err != nil {
		return q, err
	}
	if q.columns, err = columnsOf(kind, in.Columns); err != nil {
		return q, badParameter("columns", "", err)
	}
	q.cursor, err = parseCursor(in.Cursor)
	return q, err
}

// parseCursor reads a cursor: the id of the last record that was shown.
func parseCursor(s string) (*record.ID, error) {
	if s == "" {
		return nil, nil
	}
	id, err := record.ParseID(s)
	if err != nil {
		return nil, badParameter("cursor", s, err)
	}
	return &id, nil
}

// page reads a page, and one record more where there is one.
func (a *api) page(ctx context.Context, q rowsQuestion) ([]record.Record, clickhouse.Stats, error) {
	var total clickhouse.Stats
	found, err := q.read(ctx, func(ctx context.Context, statement clickhouse.Query, row func(*clickhouse.Reader)) error {
		stats, err := a.ask(ctx, statement, row)
		total.Add(stats)
		return err
	})
	return found, total, err
}

// defaultWindow is how far the views that draw look back unless told.
const defaultWindow = time.Hour
