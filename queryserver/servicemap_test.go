package queryserver

import (
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// Calls between services are found through their spans, and what is called beside
// them by what spans say of it.
func TestServiceMap(t *testing.T) {
	s := newTestStore(t)
	client := func(id, parent uint64, service, kind string, attributes ...string) record.Record {
		r := traceRecord(record.Span, id, parent, service, time.Second, 10*time.Millisecond)
		r.SpanKind, r.SpanStatus = kind, "unset"
		for i := 0; i < len(attributes); i += 2 {
			r.Attributes = append(r.Attributes, record.Pair{Key: attributes[i], Value: attributes[i+1]})
		}
		return r
	}
	request := func(id, parent uint64, service, kind string, status uint16, attributes ...string) record.Record {
		r := traceRecord(record.Request, id, parent, service, time.Second, 8*time.Millisecond)
		r.SpanKind, r.Status = kind, status
		for i := 0; i < len(attributes); i += 2 {
			r.Attributes = append(r.Attributes, record.Pair{Key: attributes[i], Value: attributes[i+1]})
		}
		return r
	}
	broken := client(6, 3, "api", "client", "db.system.name", "postgresql", "db.namespace", "shop")
	broken.SpanStatus = "error"
	s.insert(
		request(1, 0, "web", "http", 200),
		client(2, 1, "web", "client", "server.address", "api.internal"), // answered by 3
		request(3, 2, "api", "http", 500),
		request(4, 1, "api", "http", 200), // its caller's client span is not there
		client(5, 3, "api", "client", "db.system", "postgresql", "db.name", "shop"),
		broken,
		client(7, 3, "api", "producer", "messaging.system", "kafka", "messaging.destination.name", "orders"),
		request(8, 7, "worker", "messaging", 0, "messaging.system", "kafka", "messaging.destination.name", "orders"),
		client(9, 8, "worker", "client", "server.address", "mail.example"), // answered by nobody we know
		client(10, 8, "worker", "internal", "server.address", "no.call"),
	)
	got := decodeAnswer[ServiceMap](t, s, "servicemap", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z")
	want := map[[2]string][2]uint64{
		{"service:web", "service:api"}:               {2, 1},
		{"service:api", "database:postgresql shop"}:  {2, 1},
		{"service:api", "messaging:kafka orders"}:    {1, 0},
		{"messaging:kafka orders", "service:worker"}: {1, 0},
		{"service:worker", "external:mail.example"}:  {1, 0},
	}
	for _, e := range got.Edges {
		w, ok := want[[2]string{e.From, e.To}]
		if !ok || w != [2]uint64{e.Count, e.Errors} || e.P50 < 7 || e.P50 > 12 {
			t.Errorf("edge %+v, want %v", e, w)
		}
		delete(want, [2]string{e.From, e.To})
	}
	if len(want) > 0 {
		t.Errorf("missing edges: %v", want)
	}
	if len(got.Nodes) != 6 || got.Nodes[0].ID != "service:api" || got.Nodes[0].Count != 2 || got.Nodes[0].Errors != 1 || got.Sample != nil {
		t.Errorf("nodes %+v, sample %v", got.Nodes, got.Sample)
	}

	// A sample of everything sees the same.
	a := &api{store: s.client, now: time.Now}
	part := sampleOf(window{figuresStart.Add(-time.Hour), figuresStart.Add(time.Hour)}, 2, 1)
	part.slice = part.stratum
	n := 0
	plan := planServiceMap("default", part)
	for _, statement := range []clickhouse.Query{plan.calls, plan.peers, plan.consumers} {
		if _, err := a.ask(t.Context(), statement, func(r *clickhouse.Reader) {
			n++
			_ = r.String()
			_ = r.String()
			if statement.Name == "servicemap_peers" {
				_ = r.String()
			}
			readEdge(r, "", "")
		}); err != nil {
			t.Error(err)
		}
	}
	if n != len(got.Edges) {
		t.Errorf("%d edges in the sample, %d in all", n, len(got.Edges))
	}
}
