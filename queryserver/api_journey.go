package queryserver

import (
	"context"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type journeyInput struct {
	ProjectParam
	WindowParams
	Key    string `path:"key" doc:"Correlation key." example:"order_id"`
	Value  string `path:"value" doc:"Its value." example:"o_9"`
	Limit  int    `query:"limit" default:"200" minimum:"1" maximum:"10000" doc:"Most rows in the page."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

// Journey is what carries a correlation key, oldest first.
type Journey struct {
	Key        string       `json:"key"`
	Value      string       `json:"value"`
	Rows       []JourneyRow `json:"rows"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// JourneyRow is a record in short.
type JourneyRow struct {
	ID         string    `json:"id" doc:"The record's id, as in the listings."`
	Type       string    `json:"type" enum:"request,span,event"`
	TS         time.Time `json:"ts"`
	Service    string    `json:"service"`
	Name       string    `json:"name" doc:"A request's method and route, or the name of the span or event."`
	Status     uint16    `json:"status,omitempty"`
	DurationMS float64   `json:"duration_ms,omitempty"`
}

func (a *api) getJourney(ctx context.Context, in *journeyInput) (*answer[Journey], error) {
	w, err := in.resolve(a.now(), a.retention)
	if err != nil {
		return nil, err
	}
	cursor, err := parseCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	out := Journey{Key: in.Key, Value: in.Value, Rows: []JourneyRow{}}
	_, err = a.ask(ctx, planJourney(in, w, cursor), func(r *clickhouse.Reader) {
		id := record.ID{Time: time.Unix(0, r.Int64()).UTC(), RID: r.Uint64()}
		out.Rows = append(out.Rows, JourneyRow{
			ID: id.String(), Type: r.String(), TS: id.Time, Service: r.String(), Name: r.String(),
			Status: r.Uint16(), DurationMS: shortest(r.Float32()),
		})
	})
	if err != nil {
		return nil, err
	}
	if len(out.Rows) > in.Limit {
		out.Rows = out.Rows[:in.Limit]
		out.NextCursor = out.Rows[in.Limit-1].ID
	}
	return &answer[Journey]{Body: out}, nil
}

// planJourney reads one primary-key range of the journey table.
func planJourney(in *journeyInput, w window, cursor *record.ID) clickhouse.Query {
	p := newParams(in.Project)
	if cursor != nil {
		w.From = later(w.From, cursor.Time)
	}
	data := map[string]any{
		"Key": p.text(in.Key), "Value": p.text(in.Value),
		"From": p.nanos(w.From.UnixNano()), "To": p.nanos(w.To.UnixNano()),
		"Limit": in.Limit + 1, "After": "",
	}
	if cursor != nil {
		data["After"] = "\n  AND (ts, rid) > (" + p.nanos(cursor.Time.UnixNano()) + ", " + p.uint(cursor.RID) + ")"
	}
	return clickhouse.Query{Name: "journey", SQL: render("journey", data), Params: p.values}
}
