package queryserver

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/record"
)

// maxTraceStream is the most records a streamed trace has. What is kept of each
// until the end, for the shape, is about 200 bytes.
const maxTraceStream = 200_000

// Lines of a streamed trace beside the records.
type (
	traceHead struct {
		Type    string `json:"type"` // trace
		TraceID string `json:"trace_id"`
	}
	shapeLine struct {
		Type string `json:"type"` // shape
		SpanShape
	}
	pathLine struct {
		Type string `json:"type"` // path
		TraceShape
		Spans *struct{} `json:"spans,omitempty"` // they have lines of their own
	}
	endLine struct {
		Type      string   `json:"type"` // end
		Records   int      `json:"records"`
		Truncated bool     `json:"truncated,omitempty"`
		Error     *Problem `json:"error,omitempty"`
	}
)

// streamTrace sends a trace as it is read.
func (a *api) streamTrace(ctx context.Context, project, id string) (*huma.StreamResponse, error) {
	minutes, truncated, err := a.traceMinutes(ctx, project, id)
	if err != nil {
		return nil, err
	}
	if err := a.streams.take(); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer a.streams.free()
		out := newLines(hc, "application/x-ndjson")
		if hc.Method() == http.MethodHead {
			return // nobody reads it
		}
		out.write(traceHead{"trace", id})
		out.send()
		end := endLine{Type: "end", Truncated: truncated}
		if len(minutes) > 0 {
			q := traceQuestion{project: project, id: id, minutes: minutes}
			if err := a.sendTrace(hc.Context(), q, out, &end); err != nil {
				end.Error = asProblem(err)
			}
		}
		out.write(end)
		out.send()
	}}, nil
}

// sendTrace sends the records, then the shape.
func (a *api) sendTrace(ctx context.Context, q traceQuestion, out *lines, end *endLine) error {
	merged := a.traceMerge(q)
	if err := merged.start(ctx); err != nil {
		return err
	}
	var spans traceSpans
	for {
		r, err := merged.next(ctx)
		if err != nil {
			return err
		}
		if r == nil || out.err != nil { // at the end, or nobody reads on
			break
		}
		if end.Records == maxTraceStream {
			end.Truncated = true
			break
		}
		end.Records++
		spans.add(r)
		out.write(r.JSON())
		if end.Records == 1 || end.Records%longestPage == 0 {
			out.send()
		}
	}
	shape := shapeOf(spans)
	for _, s := range shape.Spans {
		out.write(shapeLine{"shape", s})
	}
	out.write(pathLine{Type: "path", TraceShape: shape})
	return nil
}

// merge gives the records of several pages in order of time and row id.
type merge struct {
	pages []*pages
	heads [][]record.Record // what was read of each and not yet given
}

func (a *api) traceMerge(q traceQuestion) *merge {
	m := &merge{heads: make([][]record.Record, len(anyKind))}
	for _, kind := range anyKind {
		m.pages = append(m.pages, newPages(func(ctx context.Context, after *record.ID, limit int) ([]record.Record, error) {
			q := q
			q.kind, q.cursor, q.limit = kind, after, limit
			return a.tracePage(ctx, q)
		}))
	}
	return m
}

// start reads all first pages at once.
func (m *merge) start(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range m.pages {
		g.Go(func() (err error) {
			m.heads[i], err = m.pages[i].next(ctx)
			return err
		})
	}
	return g.Wait()
}

// next gives the earliest record, nil at the end. It is valid until the next call.
func (m *merge) next(ctx context.Context) (*record.Record, error) {
	first := -1
	for i, head := range m.heads {
		if len(head) == 0 {
			continue
		}
		if first < 0 || earlierRecord(&head[0], &m.heads[first][0]) {
			first = i
		}
	}
	if first < 0 {
		return nil, nil
	}
	r := &m.heads[first][0]
	m.heads[first] = m.heads[first][1:]
	if len(m.heads[first]) == 0 {
		var err error
		if m.heads[first], err = m.pages[first].next(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func earlierRecord(a, b *record.Record) bool {
	if c := a.Time.Compare(b.Time); c != 0 {
		return c < 0
	}
	return a.RID < b.RID
}

// asProblem gives an error as answers have it.
func asProblem(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return problem(http.StatusInternalServerError, err.Error())
}
