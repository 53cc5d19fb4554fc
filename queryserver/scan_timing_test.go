package queryserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// What a row costs between the store's socket and the API's: reading all columns
// of a request, and writing it as JSON.
func BenchmarkRow(b *testing.B) {
	const rows = 1000
	rec := record.Record{
		Kind: record.Request, Time: time.Unix(1796040000, 5), RID: 7, Service: "api", Env: "prod", SpanKind: "http", Method: "GET",
		Route: "/projects/:id/tasks", Path: "/projects/7/tasks", Status: 500, Duration: 812_400_000, UserAgent: "curl/8",
		Attributes:  record.Pairs{{Key: "plan", Value: "enterprise"}, {Key: "region", Value: "eu-1"}},
		Resource:    record.Pairs{{Key: "host.name", Value: "web-1"}},
		Correlation: record.Pairs{{Key: "account_id", Value: "acc_108"}, {Key: "user_id", Value: "u_1137"}},
	}
	set, err := columnsOf(record.Request, nil)
	if err != nil {
		b.Fatal(err)
	}
	var body bytes.Buffer
	for range rows {
		for _, c := range set.columns {
			writeColumn(b, &body, c.name, &rec)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body.Bytes()) }))
	defer server.Close()
	endpoint, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	client := clickhouse.New(clickhouse.Options{Endpoint: endpoint, Database: "default", Timeout: time.Minute})
	defer client.Close()
	b.ReportAllocs()
	for b.Loop() {
		var out []record.JSON
		_, err := client.Select(b.Context(), clickhouse.Query{Name: "bench", SQL: "SELECT 1"}, func(r *clickhouse.Reader) {
			rec := set.scan(r, "default")
			out = append(out, rec.JSON())
		})
		if err != nil || len(out) != rows {
			b.Fatalf("%d rows, %v", len(out), err)
		}
		if _, err := json.Marshal(out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
}
