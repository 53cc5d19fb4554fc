package queryserver

import (
	"context"
	"fmt"
	"net/http"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type recordInput struct {
	ProjectParam
	ID string `path:"id" pattern:"^[0-9a-fA-F]{32}$" doc:"The record's id, 32 hex digits."`
}

func (a *api) getRequest(ctx context.Context, in *recordInput) (*answer[record.JSON], error) {
	return a.record(ctx, in, record.Request)
}

func (a *api) getSpan(ctx context.Context, in *recordInput) (*answer[record.JSON], error) {
	return a.record(ctx, in, record.Span)
}

func (a *api) getEvent(ctx context.Context, in *recordInput) (*answer[record.JSON], error) {
	return a.record(ctx, in, record.Event)
}

func (a *api) record(ctx context.Context, in *recordInput, kind record.Kind) (*answer[record.JSON], error) {
	id, err := record.ParseID(in.ID)
	if err != nil {
		return nil, problem(http.StatusBadRequest, err.Error())
	}
	set, _ := columnsOf(kind, nil) // fails on names only
	var found []record.Record
	_, err = a.ask(ctx, planRecord(in.Project, id, set), func(r *clickhouse.Reader) {
		found = append(found, set.scan(r, in.Project))
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, problem(http.StatusNotFound, fmt.Sprintf("there is no %s %s; its retention may be over", kind, in.ID))
	}
	return &answer[record.JSON]{Body: found[0].JSON()}, nil
}

// planRecord looks a record up by its primary key.
func planRecord(project string, id record.ID, set columnSet) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "record", SQL: render("record", map[string]any{
		"Columns": set.list(), "Table": table(set.kind), "Time": p.nanos(id.Time.UnixNano()), "RID": p.uint(id.RID),
	}), Params: p.values, Settings: cloneSettings(rowSettings)}
}
