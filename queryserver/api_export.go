package queryserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type exportInput struct {
	QuestionParams
	KindParam
	Format  string   `query:"format" enum:"ndjson,csv" default:"ndjson" doc:"A JSON document per line, or comma-separated values with a header (RFC 4180)."`
	Columns []string `query:"columns" doc:"Fields wanted, separated by commas. Default: all. In CSV they come in this order."`
	Order   string   `query:"order" enum:"desc,asc" default:"desc" doc:"By time: newest first, or oldest first."`
	Limit   int      `query:"limit" default:"1000000" minimum:"1" maximum:"10000000" doc:"Most records."`
	Cursor  string   `query:"cursor" doc:"Where an export that ended early goes on: next_cursor of its last line."`
}

// ExportEnd is the last line of an export that ended early.
type ExportEnd struct {
	Type       string   `json:"type" enum:"end"`
	Complete   bool     `json:"complete" doc:"Always false."`
	Records    int      `json:"records" doc:"Lines before this one."`
	Reason     string   `json:"reason"`
	Error      *Problem `json:"error,omitempty" doc:"Absent where the limit was reached."`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Give it as cursor, with the same parameters, to go on."`
}

const (
	// maxStreams bounds the exports and streamed traces at a time: each keeps the
	// store reading, and holds up to three pages of pageBytes.
	maxStreams = 8
	// Trailers of every export: whether it is whole, and how many records it has.
	trailerComplete = "Trackway-Export-Complete"
	trailerRecords  = "Trackway-Export-Records"
	// csvEnd is the first field of the last line of a CSV export that ended early.
	csvEnd = "#end"
)

// streamSlots counts the streams under way.
type streamSlots struct{ n atomic.Int32 }

// take counts one more, or gives a *Problem where there are as many as may be.
func (s *streamSlots) take() error {
	if s.n.Add(1) > maxStreams {
		s.n.Add(-1)
		return problem(http.StatusTooManyRequests, fmt.Sprintf("there are %d exports and streamed traces under way, as many as there may be: try again when one has ended", maxStreams))
	}
	return nil
}

func (s *streamSlots) free() { s.n.Add(-1) }

func (a *api) registerExport(h huma.API) {
	op := get("export", "export", "All records of a filter, as a stream")
	op.Description = "NDJSON with a record per line as the listings give it, or CSV in which maps are JSON and values are as they were sent. " +
		"Where the export ends early, because the limit is reached or the store fails, its last line says so: in NDJSON a line of type `end`, in CSV a record " +
		"whose first field is `#end`, with the reason and the cursor to go on from. The trailers `Trackway-Export-Complete` and `Trackway-Export-Records` say the same."
	op.Responses = map[string]*huma.Response{"200": {Description: "The records.", Content: map[string]*huma.MediaType{
		"application/x-ndjson": {Schema: &huma.Schema{OneOf: []*huma.Schema{schemaOf[record.JSON](h), schemaOf[ExportEnd](h)}}},
		"text/csv":             {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	huma.Register(h, op, a.export)
}

func (a *api) export(_ context.Context, in *exportInput) (*huma.StreamResponse, error) {
	q, err := a.rowsQuestion(&rowsInput{
		ProjectParam: in.ProjectParam, WindowParams: in.WindowParams, Filter: in.Filter, Columns: in.Columns, Order: in.Order, Cursor: in.Cursor,
	}, in.kind())
	if err != nil {
		return nil, err
	}
	if err := a.streams.take(); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer a.streams.free()
		hc.SetHeader("Trailer", trailerComplete+", "+trailerRecords)
		hc.SetHeader("Content-Disposition", "attachment; filename=\""+in.Kind+"s."+in.Format+"\"")
		if hc.Method() == http.MethodHead {
			return // nobody reads it
		}
		var out exportWriter
		if in.Format == "csv" {
			out = newCSVExport(hc, exportColumns(q.columns, in.Columns))
		} else {
			out = newJSONExport(hc)
		}
		n, end := a.sendExport(hc.Context(), q, in.Limit, out)
		if end != nil {
			end.Type, end.Records = "end", n
			out.end(end)
		}
		out.send()
		hc.SetHeader(trailerComplete, strconv.FormatBool(end == nil && out.failed() == nil))
		hc.SetHeader(trailerRecords, strconv.Itoa(n))
	}}, nil
}

// exportWriter writes records in one of the formats. After the first failure,
// which is that the reader has gone, it writes nothing.
type exportWriter interface {
	record(record.JSON)
	end(*ExportEnd)
	send()
	failed() error
}

// sendExport reads page after page and says how many records it sent, and why it
// ended early, nil when it did not.
func (a *api) sendExport(ctx context.Context, q rowsQuestion, limit int, out exportWriter) (int, *ExportEnd) {
	source := newPages(func(ctx context.Context, after *record.ID, n int) ([]record.Record, error) {
		return a.exportPage(ctx, q, after, n)
	})
	source.cursor = q.cursor
	cursor := ""
	for n := 0; ; {
		found, err := source.next(ctx)
		if err != nil {
			p := exportProblem(err)
			return n, &ExportEnd{Reason: p.Detail, Error: p, NextCursor: cursor}
		}
		if len(found) == 0 || out.failed() != nil {
			return n, nil
		}
		for i := range found {
			if n == limit {
				return n, &ExportEnd{Reason: fmt.Sprintf("there are more than the limit of %d records", limit), NextCursor: cursor}
			}
			out.record(q.columns.json(&found[i]))
			cursor = found[i].ID().String()
			n++
		}
		out.send()
	}
}

// exportPage reads up to n records after a cursor.
func (a *api) exportPage(ctx context.Context, q rowsQuestion, after *record.ID, n int) ([]record.Record, error) {
	q.cursor, q.limit = after, n-1
	var found []record.Record
	for _, statement := range planRows(q) {
		err := a.askPage(ctx, statement, func(r *clickhouse.Reader) { found = append(found, q.columns.scan(r, q.project)) })
		if err != nil {
			return nil, err
		}
		if len(found) >= n {
			return found[:n], nil
		}
	}
	return found, nil
}

func exportProblem(err error) *Problem {
	if errors.Is(err, errPageTooBig) {
		return problem(http.StatusInternalServerError, "a record takes more memory than may be used for it: export fewer columns")
	}
	return asProblem(err)
}
