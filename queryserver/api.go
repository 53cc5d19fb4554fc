package queryserver

import (
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
	"github.com/trackwayhq/trackway/queryserver/sqlmode"
)

// api holds what the endpoints need.
type api struct {
	store     *clickhouse.Client
	projects  projectSet
	retention time.Duration
	tails     *tailRelay
	hashed    hashedKeys
	keys      keptKeys
	// statements runs those of SQL mode.
	statements *sqlmode.Runner
	now        func() time.Time
	streams    streamSlots
	accounts   AccountsConfig
}

const (
	base = "/api/v1/projects/{project}"
	// openAPIPath is where the API describes itself, without extension.
	openAPIPath = "/api/openapi"
)

// register puts every endpoint on the mux and gives the API's description.
func (a *api) register(mux *http.ServeMux) *huma.OpenAPI {
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Trackway query API",
				Version:     "1",
				Description: "Questions about stored requests, spans and events. Every path is under a project; a single machine has one, `default`.",
			},
			Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName)},
		},
		OpenAPIPath:                  openAPIPath,
		Formats:                      huma.DefaultFormats,
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
	h := humago.New(mux, config)
	h.UseMiddleware(a.authorized(h), a.knownProject(h))

	huma.Register(h, get("list-requests", "requests", "Requests, newest first"), a.listRequests)
	huma.Register(h, get("list-spans", "spans", "Spans that are no requests, newest first"), a.listSpans)
	huma.Register(h, get("list-events", "events", "Events and log records, newest first"), a.listEvents)
	huma.Register(h, get("get-request", "requests/{id}", "One request in full"), a.getRequest)
	huma.Register(h, get("get-span", "spans/{id}", "One span in full"), a.getSpan)
	huma.Register(h, get("get-event", "events/{id}", "One event in full"), a.getEvent)
	huma.Register(h, get("histogram", "histogram", "Counts of requests over time"), a.histogram)
	huma.Register(h, get("overview", "overview", "Totals and routes, with the period before"), a.overview)
	huma.Register(h, get("heatmap", "heatmap", "Latency over time, or routes over time"), a.heatmap)
	huma.Register(h, tailOperation(h), a.tail)
	a.registerSQL(h)
	a.registerFigures(h)
	a.registerComplete(h)
	return h.OpenAPI()
}

// schemaName names types in the description; readers of it know no Go packages.
func schemaName(t reflect.Type, hint string) string {
	if t == reflect.TypeFor[record.JSON]() {
		return "Record"
	}
	if t.PkgPath() == reflect.TypeFor[sqlmode.View]().PkgPath() {
		return "SQL" + t.Name()
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// get describes an operation that reads.
func get(id, path, summary string) huma.Operation {
	return huma.Operation{OperationID: id, Method: http.MethodGet, Path: base + "/" + path, Summary: summary, Tags: []string{"query"}}
}

// ProjectParam is the part of every path that names the project.
type ProjectParam struct {
	Project string `path:"project" pattern:"^[a-z0-9-]{1,40}$" doc:"The project's id." example:"default"`
}

// knownProject answers 404 for a project that is not there, before a handler
// could mistake it for one without data.
func (a *api) knownProject(h huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if p := ctx.Param("project"); p != "" {
			known, err := a.projects.has(p)
			if err != nil {
				_ = huma.WriteErr(h, ctx, http.StatusServiceUnavailable, err.Error())
				return
			}
			if !known {
				_ = huma.WriteErr(h, ctx, http.StatusNotFound, noProject(p))
				return
			}
		}
		next(ctx)
	}
}

// answer wraps the body of an operation the way huma wants it.
type answer[T any] struct{ Body T }

// Stats says what an answer cost the store.
type Stats struct {
	RowsRead  uint64  `json:"rows_read"`
	BytesRead uint64  `json:"bytes_read"`
	ElapsedMS float64 `json:"elapsed_ms" doc:"Milliseconds in the store, as seen by the query server."`
}

func statsOf(s clickhouse.Stats) Stats {
	return Stats{RowsRead: s.RowsRead, BytesRead: s.BytesRead, ElapsedMS: float64(s.Elapsed.Microseconds()) / 1e3}
}
