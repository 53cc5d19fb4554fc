package queryserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
	"github.com/trackwayhq/trackway/queryserver/sqlmode"
)

// SQLRequest is a statement to run.
type SQLRequest struct {
	Query  string         `json:"query" minLength:"1" maxLength:"65536" doc:"One SELECT statement over the views." example:"SELECT route, count() AS n FROM requests WHERE ts > now() - INTERVAL 1 HOUR GROUP BY route ORDER BY n DESC LIMIT 10"`
	ID     string         `json:"id,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"Names the statement, so that DELETE …/sql/{id} can stop it. Default: one is made up, see the header Trackway-Statement-Id."`
	Format string         `json:"format,omitempty" enum:"json,ndjson,csv" doc:"How rows are written. Default: what the Accept header asks for, else json."`
	Limits sqlmode.Limits `json:"limits,omitempty" doc:"Lower limits than the configured ones."`
}

type sqlInput struct {
	ProjectParam
	Accept string `header:"Accept"`
	Body   SQLRequest
}

// SQLAnswer is a result in JSON.
type SQLAnswer struct {
	ID      string                 `json:"id"`
	Columns []sqlmode.ResultColumn `json:"columns"`
	Rows    []json.RawMessage      `json:"rows" doc:"A row is an array of values in the order of columns. Integers of 64 bits and more, decimals, NaN and infinities are text."`
	Stats   sqlmode.Stats          `json:"stats"`
	Limits  sqlmode.Limits         `json:"limits" doc:"What the statement ran under."`
}

// SQLSchema is what statements may use.
type SQLSchema struct {
	Views          []sqlmode.View     `json:"views"`
	Functions      []sqlmode.Function `json:"functions"`
	Combinators    []string           `json:"combinators" doc:"What may stand behind the name of an aggregate function, as If in sumIf."`
	TableFunctions []string           `json:"table_functions"`
	Limits         sqlmode.Limits     `json:"limits" doc:"Of answers in JSON."`
	StreamLimits   sqlmode.Limits     `json:"stream_limits" doc:"Of answers in NDJSON and CSV."`
}

const (
	statementIDHeader = "Trackway-Statement-Id"
	statsTrailer      = "Trackway-Stats"
)

// newStatements makes what runs statements of SQL mode: as their own user, where
// there is one.
func newStatements(cfg Config, store *clickhouse.Client) *sqlmode.Runner {
	runAs := store
	if cfg.SQL.Username != "" {
		runAs = store.As(cfg.SQL.Username, string(cfg.SQL.Password))
	}
	return sqlmode.NewRunner(runAs, store, cfg.SQL.Config)
}

func (a *api) registerSQL(h huma.API) {
	huma.Register(h, sqlOperation(h), a.sql)
	huma.Register(h, get("sql-schema", "sql/schema", "Views and functions for SQL"), a.sqlSchema)
	huma.Register(h, huma.Operation{
		OperationID: "cancel-sql", Method: http.MethodDelete, Path: base + "/sql/{id}", Summary: "Stop a statement", Tags: []string{"query"},
		DefaultStatus: http.StatusNoContent, Errors: []int{http.StatusNotFound, http.StatusServiceUnavailable},
	}, a.cancelSQL)
}

// sqlOperation describes an answer whose form the reader chooses.
func sqlOperation(h huma.API) huma.Operation {
	answer := h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[SQLAnswer](), true, "")
	return huma.Operation{
		OperationID: "sql", Method: http.MethodPost, Path: base + "/sql", Summary: "Run a SELECT statement inside the project", Tags: []string{"query"},
		Description: "Read-only, over the views of `sql/schema`. A limit that is reached is an error, never a cut answer. NDJSON and CSV are streamed: " +
			"an error behind the first rows breaks the connection off, in NDJSON behind a last line `{\"error\": …}`; a complete stream ends with the trailer " + statsTrailer + ".",
		Responses: map[string]*huma.Response{"200": {
			Description: "The rows.",
			Headers:     map[string]*huma.Param{statementIDHeader: {Schema: &huma.Schema{Type: huma.TypeString}, Description: "Names the statement for DELETE …/sql/{id}."}},
			Content: map[string]*huma.MediaType{
				"application/json":     {Schema: answer},
				"application/x-ndjson": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
				"text/csv":             {Schema: &huma.Schema{Type: huma.TypeString}},
			},
		}},
		Errors: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout},
	}
}

// sqlFormat is the format that a request asks for.
func (in *sqlInput) sqlFormat() sqlmode.Format {
	switch {
	case in.Body.Format != "":
		return sqlmode.Format(in.Body.Format)
	case strings.Contains(in.Accept, "ndjson"):
		return sqlmode.NDJSON
	case strings.Contains(in.Accept, "text/csv"):
		return sqlmode.CSV
	}
	return sqlmode.JSON
}

func (a *api) sql(ctx context.Context, in *sqlInput) (*huma.StreamResponse, error) {
	format := in.sqlFormat()
	// The answer is read in the response's body, under the same context.
	rows, err := a.statements.Start(ctx, sqlmode.Question{Project: in.Project, ID: in.Body.ID, Text: in.Body.Query, Limits: in.Body.Limits, Format: format})
	if err != nil {
		return nil, sqlProblem(ctx, err)
	}
	if format != sqlmode.JSON {
		// What fails among the first rows is an error like any other.
		first := bufio.NewReaderSize(rows, heldBack)
		if _, err := first.Peek(heldBack); err != nil && !errors.Is(err, io.EOF) {
			defer rows.Close()
			return nil, sqlProblem(ctx, err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) { streamSQL(hc, rows, first, format) }}, nil
	}
	defer rows.Close()
	columns, values, err := rows.Rows()
	if err != nil {
		return nil, sqlProblem(ctx, err)
	}
	body, err := json.Marshal(SQLAnswer{ID: rows.ID, Columns: columns, Rows: values, Stats: rows.Stats(true), Limits: rows.Limits})
	if err != nil {
		return nil, fmt.Errorf("write the answer to a statement: %w", err)
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", format.ContentType())
		hc.SetHeader(statementIDHeader, rows.ID)
		_, _ = hc.BodyWriter().Write(body) // a reader who is gone has no use for it
	}}, nil
}

// heldBack is how many bytes of a stream are waited for before it begins.
const heldBack = 1 << 20

// streamSQL passes rows on as they come. An error breaks the response off: a stream
// that ends properly is complete.
func streamSQL(hc huma.Context, rows *sqlmode.Answer, body io.Reader, format sqlmode.Format) {
	defer rows.Close()
	hc.SetHeader("Content-Type", format.ContentType())
	hc.SetHeader(statementIDHeader, rows.ID)
	hc.SetHeader("Trailer", statsTrailer)
	w := hc.BodyWriter()
	_, err := io.Copy(w, body)
	if err == nil {
		stats, _ := json.Marshal(rows.Stats(false)) // a struct of numbers always marshals
		hc.SetHeader(statsTrailer, string(stats))
		return
	}
	slog.InfoContext(hc.Context(), "a statement failed behind its first rows", "id", rows.ID, "error", err)
	if format == sqlmode.NDJSON {
		line, _ := json.Marshal(map[string]any{"error": sqlProblem(hc.Context(), err)})
		_, _ = w.Write(append(line, '\n'))
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	panic(http.ErrAbortHandler)
}

// sqlProblem says what a statement's failure means for who wrote it.
func sqlProblem(ctx context.Context, err error) error {
	var refusal *sqlmode.Refusal
	var limit *sqlmode.LimitError
	var failure *sqlmode.Failure
	switch {
	case errors.As(err, &refusal):
		return sqlError(http.StatusBadRequest, "body.query", refusal.Reason)
	case errors.As(err, &limit):
		return sqlError(http.StatusBadRequest, "body.limits."+limit.Name, limit.Error())
	case errors.Is(err, sqlmode.ErrIDInUse):
		return sqlError(http.StatusConflict, "body.id", err.Error()+": take another, or stop that one with DELETE")
	case errors.Is(err, sqlmode.ErrBusy):
		return huma.ErrorWithHeaders(problem(http.StatusTooManyRequests, err.Error()+": try again when one has ended"), http.Header{"Retry-After": {"1"}})
	case errors.As(err, &failure) && failure.Cancelled:
		return problem(http.StatusConflict, failure.Message)
	case errors.As(err, &failure) && failure.Limit == "max_time_ms":
		return sqlError(http.StatusGatewayTimeout, "body.limits."+failure.Limit, failure.Message)
	case errors.As(err, &failure) && failure.Limit != "":
		return sqlError(http.StatusBadRequest, "body.limits."+failure.Limit, failure.Message)
	case errors.As(err, &failure):
		p := sqlError(http.StatusBadRequest, "body.query", failure.Message)
		if failure.Position >= 0 {
			p.Position = &failure.Position
		}
		return p
	case clickhouse.IsNoSchema(err):
		return problem(http.StatusServiceUnavailable, "nothing has been stored yet: the tables are made with the first record")
	}
	return storeProblem(ctx, err)
}

// sqlError is a problem that names the part of the request at fault.
func sqlError(status int, location, detail string) *Problem {
	p := problem(status, detail)
	p.Errors = []*huma.ErrorDetail{{Message: detail, Location: location}}
	return p
}

func (a *api) sqlSchema(_ context.Context, _ *ProjectParam) (*answer[SQLSchema], error) {
	out := SQLSchema{Views: sqlmode.Views, Functions: sqlmode.Functions, Combinators: sqlmode.Combinators(), TableFunctions: sqlmode.TableFunctions()}
	out.Limits, out.StreamLimits = a.statements.Config().Limits()
	return &answer[SQLSchema]{Body: out}, nil
}

type cancelSQLInput struct {
	ProjectParam
	ID string `path:"id" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The statement's id: body.id of the request, or the header Trackway-Statement-Id."`
}

func (a *api) cancelSQL(ctx context.Context, in *cancelSQLInput) (*struct{}, error) {
	found, err := a.statements.Cancel(ctx, in.Project, in.ID)
	if err != nil {
		return nil, storeProblem(ctx, err)
	}
	if !found {
		return nil, problem(http.StatusNotFound, "no statement "+in.ID+" is under way in this project")
	}
	return nil, nil
}
