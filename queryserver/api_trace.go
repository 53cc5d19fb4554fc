package queryserver

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type traceInput struct {
	ProjectParam
	TraceID string `path:"trace_id" pattern:"^[0-9a-fA-F]{32}$" doc:"Trace id, 32 hex digits."`
	Format  string `query:"format" enum:"json,ndjson" default:"json" doc:"ndjson: a stream of lines for traces of any size; see the answer's description."`
}

// Trace is every record of a trace, and what its spans make together.
type Trace struct {
	TraceID   string        `json:"trace_id"`
	Records   []record.JSON `json:"records" doc:"Requests, spans and events, oldest first. Empty when nothing of the trace is stored."`
	Truncated bool          `json:"truncated" doc:"The trace has more records than an answer holds: 10,000, or 200,000 as a stream."`
	TraceShape
}

func (a *api) registerTrace(h huma.API) {
	op := get("get-trace", "traces/{trace_id}", "Everything of one trace")
	op.Description = "Requests, spans and events with the tree of the spans, their self times and the critical path. " +
		"With format=ndjson a stream of lines for traces of up to 200,000 records: a line of type `trace`, a line for each record as the listings " +
		"give it (type `request`, `span` or `event`, oldest first), a line of type `shape` for each span, one of type `path`, and a last one of type " +
		"`end`. A stream without an `end` line, or one whose `end` has an `error`, is not whole."
	op.Responses = map[string]*huma.Response{"200": {Description: "The trace.", Content: map[string]*huma.MediaType{
		"application/json":     {Schema: schemaOf[Trace](h)},
		"application/x-ndjson": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	huma.Register(h, op, a.getTrace)
}

func (a *api) getTrace(ctx context.Context, in *traceInput) (*huma.StreamResponse, error) {
	id := strings.ToLower(in.TraceID)
	if in.Format == "ndjson" {
		return a.streamTrace(ctx, in.Project, id)
	}
	out, err := a.wholeTrace(ctx, in.Project, id)
	if err != nil {
		return nil, err
	}
	return jsonResponse(out), nil
}

// wholeTrace reads a trace that one answer holds.
func (a *api) wholeTrace(ctx context.Context, project, id string) (*Trace, error) {
	out := &Trace{TraceID: id, Records: []record.JSON{}}
	minutes, truncated, err := a.traceMinutes(ctx, project, id)
	if err != nil || len(minutes) == 0 {
		out.TraceShape = shapeOf(nil)
		return out, err
	}
	out.Truncated = truncated
	merged := a.traceMerge(traceQuestion{project: project, id: id, minutes: minutes})
	if err := merged.start(ctx); err != nil {
		return nil, asProblem(err)
	}
	var shape traceSpans
	for {
		r, err := merged.next(ctx)
		if err != nil {
			return nil, asProblem(err)
		}
		if r == nil {
			break
		}
		if len(out.Records) == maxTraceRecords {
			out.Truncated = true
			break
		}
		shape.add(r)
		out.Records = append(out.Records, r.JSON())
	}
	out.TraceShape = shapeOf(shape)
	return out, nil
}

// traceMinutes asks in which minutes a trace is.
func (a *api) traceMinutes(ctx context.Context, project, id string) (minutes []time.Time, truncated bool, err error) {
	_, err = a.ask(ctx, planTraceMinutes(project, id), func(r *clickhouse.Reader) {
		minutes = append(minutes, time.Unix(int64(r.Uint32()), 0).UTC())
	})
	if len(minutes) > maxTraceMinutes {
		minutes, truncated = minutes[:maxTraceMinutes], true
	}
	return minutes, truncated, err
}

// tracePage reads records of one kind, in order of time and row id.
func (a *api) tracePage(ctx context.Context, q traceQuestion) ([]record.Record, error) {
	var out []record.Record
	set, _ := columnsOf(q.kind, nil) // fails on names only
	err := a.askPage(ctx, planTraceRecords(q, set), func(r *clickhouse.Reader) {
		out = append(out, set.scan(r, q.project))
	})
	return out, err
}
