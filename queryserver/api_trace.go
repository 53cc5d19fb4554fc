package queryserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type traceInput struct {
	ProjectParam
	TraceID string `path:"trace_id" pattern:"^[0-9a-fA-F]{32}$" doc:"Trace id, 32 hex digits."`
}

// Trace is every record of a trace.
type Trace struct {
	TraceID   string        `json:"trace_id"`
	Records   []record.JSON `json:"records" doc:"Requests, spans and events, oldest first. Empty when nothing of the trace is stored."`
	Truncated bool          `json:"truncated" doc:"The trace has more records than an answer holds."`
}

func (a *api) getTrace(ctx context.Context, in *traceInput) (*answer[Trace], error) {
	id := strings.ToLower(in.TraceID)
	out := Trace{TraceID: id, Records: []record.JSON{}}
	var minutes []time.Time
	_, err := a.ask(ctx, planTraceMinutes(in.Project, id), func(r *clickhouse.Reader) {
		minutes = append(minutes, time.Unix(int64(r.Uint32()), 0).UTC())
	})
	if err != nil || len(minutes) == 0 {
		return &answer[Trace]{Body: out}, err
	}
	if len(minutes) > maxTraceMinutes {
		minutes, out.Truncated = minutes[:maxTraceMinutes], true
	}

	all, truncated, err := a.traceRecords(ctx, in.Project, id, minutes)
	if err != nil {
		return nil, err
	}
	out.Truncated = out.Truncated || truncated
	for i := range all {
		out.Records = append(out.Records, all[i].JSON())
	}
	return &answer[Trace]{Body: out}, nil
}

// traceRecords reads the three tables at once and merges them, oldest first.
func (a *api) traceRecords(ctx context.Context, project, id string, minutes []time.Time) ([]record.Record, bool, error) {
	kinds := []record.Kind{record.Request, record.Span, record.Event}
	parts := make([][]record.Record, len(kinds))
	g, ctx := errgroup.WithContext(ctx)
	for i, kind := range kinds {
		g.Go(func() error {
			set, _ := columnsOf(kind, nil) // fails on names only
			_, err := a.ask(ctx, planTraceRecords(project, id, set, minutes), func(r *clickhouse.Reader) {
				parts[i] = append(parts[i], set.scan(r, project))
			})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, false, err
	}
	truncated := slices.ContainsFunc(parts, func(p []record.Record) bool { return len(p) > maxTraceRecords })
	all := slices.Concat(parts...)
	slices.SortStableFunc(all, func(a, b record.Record) int { return a.Time.Compare(b.Time) })
	if len(all) > maxTraceRecords {
		all, truncated = all[:maxTraceRecords], true
	}
	return all, truncated, nil
}
