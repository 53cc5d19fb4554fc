package queryserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// MarkerValues are what is said of a marker.
type MarkerValues struct {
	Title   string `json:"title" minLength:"1" maxLength:"200" example:"Deploy v1.4.2" doc:"One line."`
	Release string `json:"release,omitempty" maxLength:"200" doc:"The release, as records have it." example:"v1.4.2"`
	Service string `json:"service,omitempty" maxLength:"200" doc:"The service it is of; absent: of all."`
	Env     string `json:"env,omitempty" maxLength:"200" doc:"The environment it is of; absent: of all."`
	URL     string `json:"url,omitempty" maxLength:"2048" doc:"Where to read more, http or https."`
}

// NewMarker is the body of POST.
type NewMarker struct {
	MarkerValues
	TS string `json:"ts,omitempty" doc:"When it happened: RFC 3339, epoch milliseconds in a string, or relative such as -5m. Default: now."`
}

// Marker is something that happened at a moment.
type Marker struct {
	ID string    `json:"id,omitempty" doc:"Absent of automatic ones, which cannot be deleted."`
	TS time.Time `json:"ts"`
	MarkerValues
	Automatic   bool      `json:"automatic" doc:"A release that was seen for the first time in at least 24 hours."`
	PrecisionMS float64   `json:"precision_ms,omitempty" doc:"Automatic ones, where not all records were read: how much earlier it may have been."`
	Created     time.Time `json:"created,omitzero"`
	Actor       string    `json:"actor,omitempty" doc:"Who set it."`
}

// Markers are those of a window.
type Markers struct {
	Markers []Marker `json:"markers" doc:"Oldest first."`
}

type markersInput struct {
	ProjectParam
	WindowParams
	Service   string `query:"service" doc:"Only those of this service, or of all services."`
	Automatic bool   `query:"automatic" default:"true" doc:"Releases first seen in the records, too."`
	Limit     int    `query:"limit" default:"200" minimum:"1" maximum:"1000" doc:"Most markers, the newest; as many automatic ones."`
}

type newMarkerInput struct {
	ProjectParam
	Body NewMarker
}

type markerInput struct {
	ProjectParam
	ID string `path:"id" maxLength:"64" doc:"The marker's id."`
}

// maxMarkerBody is room for all values at their longest, escaped.
const maxMarkerBody = 64 << 10

func (a *api) registerMarkers(h huma.API) {
	huma.Register(h, get("list-markers", "markers", "Deployments and what else happened"), a.listMarkers)
	huma.Register(h, huma.Operation{
		OperationID: "create-marker", Method: http.MethodPost, Path: base + "/markers", Summary: "Set a marker", Tags: []string{"query"},
		DefaultStatus: http.StatusCreated, MaxBodyBytes: maxMarkerBody,
	}, a.createMarker)
	huma.Register(h, huma.Operation{
		OperationID: "delete-marker", Method: http.MethodDelete, Path: base + "/markers/{id}", Summary: "Delete a marker", Tags: []string{"query"},
		DefaultStatus: http.StatusNoContent,
	}, a.deleteMarker)
}

func (a *api) listMarkers(ctx context.Context, in *markersInput) (*answer[Markers], error) {
	w, err := in.resolve(a.now(), defaultWindow)
	if err != nil {
		return nil, err
	}
	out := Markers{Markers: []Marker{}}
	// Without a metadata store there are automatic ones all the same.
	if store, err := a.metadataStore(); err == nil {
		set, err := store.Markers(ctx, in.Project, in.Service, w.From, w.To, in.Limit)
		if err != nil {
			return nil, metadataProblem(ctx, err)
		}
		for _, m := range set {
			out.Markers = append(out.Markers, shownMarker(m))
		}
	}
	if in.Automatic {
		found, err := a.newReleases(ctx, in.Project, in.Service, w, in.Limit)
		if err != nil {
			return nil, err
		}
		out.Markers = append(out.Markers, withoutKnown(found, out.Markers)...)
	}
	slices.SortStableFunc(out.Markers, func(a, b Marker) int { return a.TS.Compare(b.TS) })
	return &answer[Markers]{Body: out}, nil
}

// withoutKnown leaves out automatic markers of releases that somebody marked.
func withoutKnown(automatic, set []Marker) []Marker {
	return slices.DeleteFunc(automatic, func(m Marker) bool {
		return slices.ContainsFunc(set, func(s Marker) bool {
			return s.Release == m.Release && (s.Service == "" || s.Service == m.Service)
		})
	})
}

func shownMarker(m metadata.Marker) Marker {
	return Marker{
		ID: m.ID, TS: m.At, MarkerValues: MarkerValues{Title: m.Title, Release: m.Release, Service: m.Service, Env: m.Env, URL: m.URL},
		Created: m.Created, Actor: m.Actor,
	}
}

func (a *api) createMarker(ctx context.Context, in *newMarkerInput) (*answer[Marker], error) {
	store, err := a.metadataStore()
	if err != nil {
		return nil, err
	}
	at := a.now()
	if in.Body.TS != "" {
		if at, err = parseTime(in.Body.TS, at); err != nil {
			p := badParameter("ts", in.Body.TS, err)
			p.Errors[0].Location = "body.ts"
			return nil, p
		}
	}
	b := in.Body
	m, err := store.CreateMarker(ctx, metadata.Marker{
		Project: in.Project, At: at, Title: b.Title, Release: b.Release, Service: b.Service, Env: b.Env, URL: b.URL, Actor: "api",
	})
	if errors.Is(err, metadata.ErrInvalid) {
		name, said, _ := strings.Cut(err.Error(), ": ")
		p := problem(http.StatusBadRequest, err.Error())
		p.Errors = []*huma.ErrorDetail{{Message: said, Location: "body." + name}}
		return nil, p
	}
	if err != nil {
		return nil, metadataProblem(ctx, err)
	}
	return &answer[Marker]{Body: shownMarker(m)}, nil
}

func (a *api) deleteMarker(ctx context.Context, in *markerInput) (*struct{}, error) {
	store, err := a.metadataStore()
	if err != nil {
		return nil, err
	}
	if err := store.DeleteMarker(ctx, in.Project, in.ID); err != nil {
		return nil, metadataProblem(ctx, err)
	}
	return &struct{}{}, nil
}

// metadataStore gives the store of what is known about projects.
func (a *api) metadataStore() (*metadata.Store, error) {
	f := a.projects.follower
	if f == nil {
		return nil, problem(http.StatusServiceUnavailable, "there is nowhere to keep this: set metadata.dsn in the query server's configuration")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store == nil {
		return nil, problem(http.StatusServiceUnavailable, errNoMetadata.Error())
	}
	return f.store, nil
}

// metadataProblem says what a failure of the metadata store means for the reader.
func metadataProblem(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, metadata.ErrInvalid):
		return problem(http.StatusBadRequest, err.Error())
	case errors.Is(err, metadata.ErrNotFound):
		return problem(http.StatusNotFound, err.Error())
	case errors.Is(err, metadata.ErrConflict):
		return problem(http.StatusConflict, err.Error())
	case errors.Is(ctx.Err(), context.Canceled):
		return problem(499, "the client went away")
	}
	slog.WarnContext(ctx, "metadata store failed", "error", err)
	return problem(http.StatusServiceUnavailable, "the metadata store does not answer, or has no room: see the query server's log")
}
