package queryserver

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

type tailInput struct {
	ProjectParam
	Filter string `query:"filter" doc:"Which records, in the filter language. Default: everything."`
}

// Missed counts records that were not sent.
type Missed struct {
	Missed uint64 `json:"missed" doc:"Records that matched and were left out since the last such event, because the reader was too slow."`
}

// TailStatus says what the stream is fed from.
type TailStatus struct {
	Connected int `json:"connected" doc:"Collectors that are connected now."`
	Endpoints int `json:"endpoints" doc:"Collectors that are configured."`
}

// tailOperation describes the stream; its body is no JSON, so huma cannot.
func tailOperation(h huma.API) huma.Operation {
	schemaOf := func(v any) *huma.Schema {
		return h.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, "")
	}
	event := func(name string, v any) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, Title: name, Required: []string{"event", "data"}, Properties: map[string]*huma.Schema{
			"event": {Type: huma.TypeString, Enum: []any{name}}, "data": schemaOf(v),
		}}
	}
	op := get("tail", "tail", "Records as they are accepted")
	op.Description = "Server-Sent Events: `record` with a record as the listings give it, `missed` with a count where the reader was too slow, " +
		"`status` when a collector connects or goes away. A comment every 15 seconds keeps the connection open."
	op.Responses = map[string]*huma.Response{"200": {
		Description: "A stream that ends when the reader leaves.",
		Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			Type: huma.TypeArray, Items: &huma.Schema{OneOf: []*huma.Schema{
				event("record", record.JSON{}), event("missed", Missed{}), event("status", TailStatus{}),
			}},
		}}},
	}}
	op.Errors = []int{http.StatusBadRequest, http.StatusNotFound}
	return op
}

func (a *api) tail(_ context.Context, in *tailInput) (*huma.StreamResponse, error) {
	expr, err := a.parseFilter(in.Filter)
	if err != nil {
		return nil, err
	}
	text := expr.String()
	if len(text) > filter.MaxLength {
		// Collectors read it again, with the same limit.
		return nil, badParameter("filter", in.Filter, fmt.Errorf("written out it has %d bytes, and the live tail takes %d", len(text), filter.MaxLength))
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", "text/event-stream")
		ctx.SetHeader("X-Accel-Buffering", "no")
		w, ok := ctx.BodyWriter().(http.ResponseWriter)
		if !ok {
			panic("tail: the HTTP adapter gives no http.ResponseWriter")
		}
		a.tails.serve(ctx.Context(), in.Project, text, w)
	}}, nil
}
