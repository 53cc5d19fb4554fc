package queryserver

import (
	"context"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type pivotsInput struct {
	JourneyParams
	Limit   int `query:"limit" default:"50" minimum:"1" maximum:"500" doc:"Most pivots."`
	Records int `query:"records" default:"200" minimum:"1" maximum:"1000" doc:"How many of the journey's newest records are looked at."`
}

// Pivots are the other correlation keys that are found on a journey.
type Pivots struct {
	Key     string  `json:"key"`
	Value   string  `json:"value"`
	Pivots  []Pivot `json:"pivots" doc:"Most frequent first."`
	Records int     `json:"records" doc:"How many of the journey's records were looked at, the newest."`
	Sampled bool    `json:"sampled" doc:"The journey has more records than were looked at."`
	Stats   Stats   `json:"stats"`
}

// Pivot is a value of another correlation key.
type Pivot struct {
	Key    string    `json:"key"`
	Value  string    `json:"value"`
	Count  uint64    `json:"count" doc:"Records of the journey that carry it."`
	Linked uint64    `json:"linked" doc:"Other records of their traces that carry it."`
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
}

func (a *api) journeyPivots(ctx context.Context, in *pivotsInput) (*answer[Pivots], error) {
	q, err := in.question(a.now(), a.retention)
	if err != nil {
		return nil, err
	}
	q.value = a.hashed.value(in.Key, in.Value)
	out := Pivots{Key: in.Key, Value: in.Value, Pivots: []Pivot{}}
	var total clickhouse.Stats
	ask := func(s clickhouse.Query, row func(*clickhouse.Reader)) error {
		cost, err := a.ask(ctx, s, row)
		total.Add(cost)
		return err
	}
	var rows []JourneyRow
	q.limit = in.Records
	if err := ask(planJourney(q), func(r *clickhouse.Reader) { rows = append(rows, readJourneyRow(r)) }); err != nil {
		return nil, err
	}
	if len(rows) > in.Records {
		rows, out.Sampled = rows[:in.Records], true
	}
	if out.Records = len(rows); len(rows) > 0 {
		if err := a.findPivots(ask, q, rows, in.Limit, &out); err != nil {
			return nil, err
		}
	}
	out.Stats = statsOf(total)
	return &answer[Pivots]{Body: out}, nil
}

func (a *api) findPivots(ask func(clickhouse.Query, func(*clickhouse.Reader)) error, q journeyQuestion, rows []JourneyRow, limit int, out *Pivots) error {
	traces := tracesOf(rows)
	traces = traces[:min(len(traces), maxLinkedTraces)]
	var minutes []time.Time
	if len(traces) > 0 {
		var err error
		if minutes, err = a.minutesOf(ask, q, traces); err != nil {
			return err
		}
	}
	records := make([]record.ID, len(rows))
	for i := range rows {
		id, err := record.ParseID(rows[i].ID)
		if err != nil {
			return err
		}
		records[i] = id
		minutes = append(minutes, id.Time.Truncate(time.Minute))
	}
	slices.SortFunc(minutes, time.Time.Compare)
	minutes = slices.CompactFunc(minutes, time.Time.Equal)
	q.limit = limit
	return ask(planJourneyPivots(q, records, traces, minutes), func(r *clickhouse.Reader) {
		out.Pivots = append(out.Pivots, Pivot{
			Key: r.String(), Value: r.String(), Count: r.Uint64(), Linked: r.Uint64(),
			First: time.Unix(0, r.Int64()).UTC(), Last: time.Unix(0, r.Int64()).UTC(),
		})
	})
}
