package queryserver

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// JourneyParams name a journey.
type JourneyParams struct {
	ProjectParam
	WindowParams
	Key   string `path:"key" doc:"Correlation key." example:"order_id"`
	Value string `path:"value" doc:"Its value." example:"o_9"`
}

type journeyInput struct {
	JourneyParams
	Limit   int    `query:"limit" default:"200" minimum:"1" maximum:"10000" doc:"Most rows in the page."`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before."`
	Order   string `query:"order" enum:"asc,desc" default:"asc" doc:"By time: oldest first, or newest first."`
	Summary bool   `query:"summary" default:"true" doc:"Count the whole journey, on the first page."`
	Linked  bool   `query:"linked" default:"false" doc:"Records of the rows' traces that do not carry the key themselves, too."`
}

// Journey is what carries a correlation key.
type Journey struct {
	Key        string          `json:"key"`
	Value      string          `json:"value"`
	Rows       []JourneyRow    `json:"rows" doc:"Records that carry the key."`
	NextCursor string          `json:"next_cursor,omitempty" doc:"Give it as cursor to get the next page; absent on the last."`
	Summary    *JourneySummary `json:"summary,omitempty" doc:"Of the whole journey; on the first page."`
	Linked     *LinkedRows     `json:"linked,omitempty" doc:"With linked=true."`
	Stats      Stats           `json:"stats"`
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
	TraceID    string    `json:"trace_id,omitempty"`
}

// JourneySummary counts what carries the key in the window.
type JourneySummary struct {
	Count    uint64         `json:"count"`
	First    time.Time      `json:"first,omitzero"`
	Last     time.Time      `json:"last,omitzero"`
	Kinds    []JourneyCount `json:"kinds" doc:"By kind of record, most frequent first."`
	Services []JourneyCount `json:"services" doc:"By service, most frequent first."`
}

// JourneyCount is how many records there are of a kind or a service.
type JourneyCount struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// LinkedRows are records of traces that carry the key, although they themselves do
// not.
type LinkedRows struct {
	Rows      []JourneyRow `json:"rows" doc:"Oldest first. Those of a trace come with the page on which the trace shows up first, and with no other."`
	Truncated bool         `json:"truncated" doc:"There are more: of a page, 200 traces and 1,000 records are looked at."`
}

func (a *api) registerJourney(h huma.API) {
	huma.Register(h, get("get-journey", "journeys/{key}/{value}", "Everything that carries a correlation key"), a.getJourney)
	huma.Register(h, get("journey-pivots", "journeys/{key}/{value}/pivots", "Other correlation keys on a journey"), a.journeyPivots)
}

func (a *api) getJourney(ctx context.Context, in *journeyInput) (*answer[Journey], error) {
	q, err := in.question(a.now(), a.retention)
	if err != nil {
		return nil, err
	}
	q.value = a.hashed.value(in.Key, in.Value)
	q.limit, q.ascending = in.Limit, in.Order == "asc"
	if q.cursor, err = parseCursor(in.Cursor); err != nil {
		return nil, err
	}
	out := Journey{Key: in.Key, Value: in.Value, Rows: []JourneyRow{}}
	var page, summary clickhouse.Stats
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		page, err = a.ask(gctx, planJourney(q), func(r *clickhouse.Reader) { out.Rows = append(out.Rows, readJourneyRow(r)) })
		return err
	})
	if in.Summary && q.cursor == nil {
		g.Go(func() (err error) {
			out.Summary, summary, err = a.journeySummary(gctx, q)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if len(out.Rows) > in.Limit {
		out.Rows = out.Rows[:in.Limit]
		out.NextCursor = out.Rows[in.Limit-1].ID
	}
	page.Add(summary)
	if in.Linked {
		if out.Linked, err = a.linkedRows(ctx, q, out.Rows, &page); err != nil {
			return nil, err
		}
	}
	out.Stats = statsOf(page)
	return &answer[Journey]{Body: out}, nil
}

func (in *JourneyParams) question(now time.Time, retention time.Duration) (journeyQuestion, error) {
	w, err := in.resolve(now, retention)
	return journeyQuestion{project: in.Project, key: in.Key, value: in.Value, window: w}, err
}

func readJourneyRow(r *clickhouse.Reader) JourneyRow {
	id := record.ID{Time: time.Unix(0, r.Int64()).UTC(), RID: r.Uint64()}
	row := JourneyRow{
		ID: id.String(), Type: r.String(), TS: id.Time, Service: r.String(), Name: r.String(),
		Status: r.Uint16(), DurationMS: shortest(r.Float32()),
	}
	var trace [16]byte
	if r.Fixed(trace[:]); trace != [16]byte{} {
		row.TraceID = hex.EncodeToString(trace[:])
	}
	return row
}

func (a *api) journeySummary(ctx context.Context, q journeyQuestion) (*JourneySummary, clickhouse.Stats, error) {
	out := &JourneySummary{Kinds: []JourneyCount{}, Services: []JourneyCount{}}
	stats, err := a.ask(ctx, planJourneySummary(q), func(r *clickhouse.Reader) {
		kind, service, n := r.String(), r.String(), r.Uint64()
		first, last := time.Unix(0, r.Int64()).UTC(), time.Unix(0, r.Int64()).UTC()
		if out.Count == 0 || first.Before(out.First) {
			out.First = first
		}
		out.Last = later(out.Last, last)
		out.Count += n
		out.Kinds, out.Services = count(out.Kinds, kind, n), count(out.Services, service, n)
	})
	for _, counts := range [][]JourneyCount{out.Kinds, out.Services} {
		slices.SortStableFunc(counts, func(a, b JourneyCount) int { return int(min(max(int64(b.Count)-int64(a.Count), -1), 1)) })
	}
	return out, stats, err
}

// count adds to the count of a name.
func count(counts []JourneyCount, name string, n uint64) []JourneyCount {
	if i := slices.IndexFunc(counts, func(c JourneyCount) bool { return c.Name == name }); i >= 0 {
		counts[i].Count += n
		return counts
	}
	return append(counts, JourneyCount{name, n})
}

// linkedRows reads what else is in the traces that show up first among some rows.
func (a *api) linkedRows(ctx context.Context, q journeyQuestion, rows []JourneyRow, stats *clickhouse.Stats) (*LinkedRows, error) {
	out := &LinkedRows{Rows: []JourneyRow{}}
	ask := func(s clickhouse.Query, row func(*clickhouse.Reader)) error {
		cost, err := a.ask(ctx, s, row)
		stats.Add(cost)
		return err
	}
	traces := tracesOf(rows)
	if q.cursor != nil && len(traces) > 0 {
		err := ask(planJourneySeen(q, traces), func(r *clickhouse.Reader) {
			seen := r.String()
			traces = slices.DeleteFunc(traces, func(t string) bool { return t == seen })
		})
		if err != nil {
			return nil, err
		}
	}
	if len(traces) > maxLinkedTraces {
		traces, out.Truncated = traces[:maxLinkedTraces], true
	}
	if len(traces) == 0 {
		return out, nil
	}
	minutes, err := a.minutesOf(ask, q, traces)
	if err != nil || len(minutes) == 0 {
		return out, err
	}
	err = ask(planJourneyLinked(q, traces, minutes), func(r *clickhouse.Reader) { out.Rows = append(out.Rows, readJourneyRow(r)) })
	if len(out.Rows) > maxLinked {
		out.Rows, out.Truncated = out.Rows[:maxLinked], true
	}
	return out, err
}

// minutesOf asks the trace index where traces are.
func (a *api) minutesOf(ask func(clickhouse.Query, func(*clickhouse.Reader)) error, q journeyQuestion, traces []string) ([]time.Time, error) {
	var minutes []time.Time
	err := ask(planTracesMinutes(q.project, traces, q.window), func(r *clickhouse.Reader) {
		minutes = append(minutes, time.Unix(int64(r.Uint32()), 0).UTC())
	})
	return minutes, err
}

// tracesOf gives the traces of rows, in order, each once.
func tracesOf(rows []JourneyRow) []string {
	var out []string
	seen := map[string]bool{}
	for i := range rows {
		if t := rows[i].TraceID; t != "" && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
