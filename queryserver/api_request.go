package queryserver

import (
	"context"
	"net/http"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type requestInput struct {
	ProjectParam
	ID string `path:"id" pattern:"^[0-9a-fA-F]{32}$" doc:"The record's id, 32 hex digits."`
}

func (a *api) getRequest(ctx context.Context, in *requestInput) (*answer[record.JSON], error) {
	id, err := record.ParseID(in.ID)
	if err != nil {
		return nil, problem(http.StatusBadRequest, err.Error())
	}
	set, _ := columnsOf(record.Request, nil) // fails on names only
	var found []record.Record
	_, err = a.ask(ctx, planRequest(in.Project, id, set), func(r *clickhouse.Reader) {
		found = append(found, set.scan(r, in.Project))
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, problem(http.StatusNotFound, "there is no request "+in.ID+"; its retention may be over")
	}
	return &answer[record.JSON]{Body: found[0].JSON()}, nil
}

// planRequest looks a request up by its primary key.
func planRequest(project string, id record.ID, set columnSet) clickhouse.Query {
	p := newParams(project)
	return clickhouse.Query{Name: "request", SQL: render("request", map[string]any{
		"Columns": set.list(), "Time": p.nanos(id.Time.UnixNano()), "RID": p.uint(id.RID),
	}), Params: p.values, Settings: cloneSettings(rowSettings)}
}
