package queryserver

import (
	"maps"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// Attributes that columns hold come back with the map, and only with it.
func TestAskedMapsAreWhole(t *testing.T) {
	s := newTestStore(t)
	s.insert(record.Record{
		Kind: record.Request, Project: "default", Time: time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC), RID: 1,
		Service: "api", SpanKind: "http", Route: "/a/:id", Path: "/a/7", Status: 200, Env: "prod",
		Attributes: record.Pairs{{Key: "http.route", Value: "/a/7"}},
	})
	one := func(columns string) record.JSON {
		rows := decodeAnswer[Rows](t, s, "requests", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "columns", columns)
		if len(rows.Rows) != 1 {
			t.Fatalf("columns=%s: %d rows, want 1", columns, len(rows.Rows))
		}
		return rows.Rows[0]
	}
	got := one("attributes")
	want := map[string]string{"http.route": "/a/7", "url.path": "/a/7", "http.response.status_code": "200"}
	if !maps.Equal(got.Attributes, want) || got.Resource != nil || got.Status != 0 || got.Route+got.Path+got.Kind+got.Env != "" {
		t.Errorf("columns=attributes: %+v, want only the attributes %v", got, want)
	}
	got = one("route,resource")
	want = map[string]string{"service.name": "api", "deployment.environment.name": "prod"}
	if !maps.Equal(got.Resource, want) || got.Route != "/a/:id" || got.Attributes != nil || got.Env != "" {
		t.Errorf("columns=route,resource: %+v, want the route and the resource %v", got, want)
	}
}
