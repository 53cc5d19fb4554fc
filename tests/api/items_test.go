package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// item is a request as it was sent; questions are answered from these.
type item struct {
	TS          time.Time         `json:"ts"`
	Type        string            `json:"type"`
	Service     string            `json:"service"`
	Env         string            `json:"env"`
	Method      string            `json:"method"`
	Route       string            `json:"route"`
	Path        string            `json:"path"`
	Status      int               `json:"status"`
	DurationMS  float64           `json:"duration_ms"`
	RequestID   string            `json:"request_id"`
	Attributes  map[string]any    `json:"attributes,omitempty"`
	Correlation map[string]string `json:"correlation,omitempty"`
}

const (
	items = 6000
	span  = 3 * time.Hour // the items lie in the span that ends at the base
)

// generate makes items from a fixed seed. Many share a timestamp, so that a page
// often ends between equal times.
func generate(base time.Time) []item {
	random := rand.New(rand.NewPCG(7, 11))
	routes := []struct{ service, method, route string }{
		{"api", "GET", "/projects/:id/tasks"}, {"api", "POST", "/orders"}, {"api", "GET", "/it's/odd"},
		{"billing", "GET", "/invoices/:id"}, {"billing", "POST", "/invoices/:id/pay"}, {"auth", "POST", "/login"},
	}
	statuses := []int{200, 200, 200, 200, 201, 204, 301, 404, 422, 500, 503}
	out := make([]item, items)
	for i := range out {
		r := routes[random.IntN(len(routes))]
		at := base.Add(-time.Duration(random.Int64N(int64(span))))
		if i%3 == 0 {
			at = at.Truncate(10 * time.Minute)
		}
		out[i] = item{
			TS: at, Type: "request", Service: r.service, Env: "test", Method: r.method, Route: r.route,
			Path: fmt.Sprintf("/p/%d", i), Status: statuses[random.IntN(len(statuses))],
			DurationMS: float64(random.IntN(2_000_000)) / 1000, RequestID: fmt.Sprintf("r-%d", i),
			Attributes:  map[string]any{"n": random.IntN(200)},
			Correlation: map[string]string{"user_id": fmt.Sprintf("u_%d", random.IntN(50))},
		}
		if i%4 == 0 {
			out[i].Attributes["plan"] = []string{"free", "pro", "enterprise"}[random.IntN(3)]
		}
		if i%10 == 0 {
			out[i].Correlation["order_id"] = "it's; o_1"
		}
	}
	return out
}

// load sends the items as NDJSON and waits until all of them are listed.
func load(t *testing.T, stack *harness.Stack, all []item) {
	t.Helper()
	for start := 0; start < len(all); start += 1000 {
		var body bytes.Buffer
		for _, it := range all[start:min(start+1000, len(all))] {
			require.NoError(t, json.NewEncoder(&body).Encode(it))
		}
		res, err := http.Post(stack.NDJSON+"/v1/ingest", "application/x-ndjson", &body)
		require.NoError(t, err)
		answer, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		_ = res.Body.Close()
		require.Equal(t, http.StatusOK, res.StatusCode, "%s", answer)
	}
	require.Eventually(t, func() bool {
		got, err := stack.ClickHouse.TryQuery(t.Context(), "SELECT count() FROM trackway.requests")
		return err == nil && got == fmt.Sprint(len(all))
	}, time.Minute, 100*time.Millisecond, "all items are stored")
}

// count counts the items that match.
func count(all []item, match func(item) bool) int {
	n := 0
	for _, it := range all {
		if match(it) {
			n++
		}
	}
	return n
}
