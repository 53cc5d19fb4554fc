package queryserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"net/http/httptest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startServer runs the query server without a store and gives its base URL.
func startServer(t *testing.T, change func(*Config)) string {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Listen = "127.0.0.1:0"
	cfg.ClickHouse.Endpoint = "http://127.0.0.1:9" // nobody listens on discard
	cfg.LiveTail.Endpoints = nil
	if change != nil {
		change(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- Run(ctx, cfg, func(addr string) { ready <- addr }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	select {
	case addr := <-ready:
		return "http://" + addr
	case err := <-done:
		done <- nil
		t.Fatal(err)
	}
	return ""
}

func fetch(t *testing.T, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestWithoutAStore(t *testing.T) {
	base := startServer(t, nil)
	for _, path := range []string{"requests", "overview", "heatmap?by=route", "histogram", "traces/4bf92f3577b34da6a3ce929d0e0e4736", "journeys/a/b", "requests/00000000000000010000000000000001"} {
		resp, body := fetch(t, base+"/api/v1/projects/default/"+path, nil)
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "the store does not answer") || strings.Contains(body, "refused") {
			t.Errorf("%s: %s: %s", path, resp.Status, body)
		}
		if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: Content-Type %s", path, got)
		}
	}
	resp, body := fetch(t, base+"/healthz", nil)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"store":"unreachable"`) {
		t.Errorf("/healthz: %s: %s", resp.Status, body)
	}
}

func TestUnknownProjectAndPath(t *testing.T) {
	base := startServer(t, nil)
	for path, want := range map[string]string{
		"/api/v1/projects/nobody/requests":         "there is no project nobody",
		"/api/v1/projects/nobody/tail":             "there is no project nobody",
		"/api/v1/projects/default/nothing":         "there is nothing at",
		"/api/v1/projects/default/requests/a/b/c/": "there is nothing at",
	} {
		resp, body := fetch(t, base+path, nil)
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(body, want) {
			t.Errorf("%s: %s: %s", path, resp.Status, body)
		}
	}
}

func TestWrongMethod(t *testing.T) {
	base := startServer(t, nil)
	for path, want := range map[string]int{
		"/api/v1/projects/default/requests": http.StatusMethodNotAllowed,
		"/api/v1/projects/default/tail":     http.StatusMethodNotAllowed,
		"/api/openapi.json":                 http.StatusMethodNotAllowed,
		"/api/v1/projects/default/nothing":  http.StatusNotFound,
	} {
		resp, err := http.Post(base+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("POST %s: %s, want %d", path, resp.Status, want)
		}
		if allow := resp.Header.Get("Allow"); want == http.StatusMethodNotAllowed && allow != "GET, HEAD" {
			t.Errorf("POST %s: Allow: %q", path, allow)
		}
	}
}

// TestUncleanPaths sends paths as they are: a client's own cleaning would hide
// them.
func TestUncleanPaths(t *testing.T) {
	base := startServer(t, nil)
	for path, want := range map[string]int{
		"/api/v1/projects//requests":                     http.StatusNotFound,
		"/api/v1/projects/default/journeys/dot/..":       http.StatusNotFound,
		"/api/v1/projects/default/./requests":            http.StatusNotFound,
		"/api/v1/projects/default/journeys/dot/%2E%2E":   http.StatusServiceUnavailable, // understood; there is no store
		"/api/v1/projects/default/journeys/dot/a%2F%2Fb": http.StatusServiceUnavailable,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Opaque = path
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s, want %d", path, resp.Status, resp.Header.Get("Content-Type"), want)
		}
	}
}

func TestQueryStringThatDoesNotDecode(t *testing.T) {
	base := startServer(t, nil)
	for _, query := range []string{"filter=%zz", "limit=2&filter=route='/50%off'", "a;b", "filter=status+%3E+500;limit=1"} {
		for _, path := range []string{"requests", "histogram", "tail"} {
			resp, body := fetch(t, base+"/api/v1/projects/default/"+path+"?"+query, nil)
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, "cannot be decoded") {
				t.Errorf("%s?%s: %s: %s", path, query, resp.Status, body)
			}
		}
	}
}

func TestParametersThatAreThereTwice(t *testing.T) {
	base := startServer(t, nil)
	for _, path := range []string{"requests", "histogram", "tail"} {
		resp, body := fetch(t, base+"/api/v1/projects/default/"+path+"?filter=status:200&filter=status:500", nil)
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"location":"query.filter"`) || !strings.Contains(body, "want one value, got 2") {
			t.Errorf("%s: %s: %s", path, resp.Status, body)
		}
	}
}

func TestFilterErrorsCarryThePosition(t *testing.T) {
	base := startServer(t, nil)
	for _, path := range []string{"requests", "spans", "events", "histogram", "tail"} {
		resp, body := fetch(t, base+"/api/v1/projects/default/"+path+"?filter=status+%3E%3D+abc", nil)
		var p struct {
			Position int
			Expected string
			Errors   []struct{ Location, Value string }
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil || resp.StatusCode != http.StatusBadRequest {
			t.Fatalf("%s: %s: %s", path, resp.Status, body)
		}
		if p.Position != 10 || p.Expected != "a number" || len(p.Errors) != 1 || p.Errors[0].Location != "query.filter" || p.Errors[0].Value != "status >= abc" {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

func TestHostHeaderAndSecurityHeaders(t *testing.T) {
	base := startServer(t, func(c *Config) { c.Hosts = []string{"trackway.example"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "127.0.0.1": 200, "[::1]:80": 200, "trackway.localhost": 200, "Trackway.example:443": 200,
		"evil.example": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example:8080": 421, "10.0.0.1": 421,
	} {
		resp, _ := fetch(t, base+"/healthz", func(r *http.Request) { r.Host = host })
		if resp.StatusCode != want {
			t.Errorf("Host %s: got %d, want %d", host, resp.StatusCode, want)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'self'") {
			t.Errorf("Host %s: security headers are missing: %v", host, resp.Header)
		}
	}
}

func TestAnswersAreCompressed(t *testing.T) {
	base := startServer(t, nil)
	resp, _ := fetch(t, base+"/api/openapi.json", func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") })
	if resp.Header.Get("Content-Encoding") != "gzip" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", resp.Header)
	}
}

func TestStaticFiles(t *testing.T) {
	dist := fstest.MapFS{
		"index.html":             {Data: []byte("<page>")},
		"favicon.svg":            {Data: []byte("<svg>")},
		"assets/app-1a2b3c4d.js": {Data: []byte("code")},
	}
	server := httptest.NewServer(newStatic(dist, true))
	defer server.Close()
	for path, want := range map[string]struct {
		status      int
		body, cache string
	}{
		"/":                       {200, "<page>", "no-cache"},
		"/requests?filter=x":      {200, "<page>", "no-cache"},
		"/traces/4bf9/deep":       {200, "<page>", "no-cache"},
		"/favicon.svg":            {200, "<svg>", "no-cache"},
		"/assets/app-1a2b3c4d.js": {200, "code", "public, max-age=31536000, immutable"},
		"/assets/app-gone.js":     {404, "", ""},
		"/assets/":                {200, "<page>", "no-cache"},
	} {
		resp, body := fetch(t, server.URL+path, nil)
		if resp.StatusCode != want.status || (want.status == 200 && (body != want.body || resp.Header.Get("Cache-Control") != want.cache)) {
			t.Errorf("%s: %s %q, Cache-Control %q", path, resp.Status, body, resp.Header.Get("Cache-Control"))
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// A database that nobody has stored anything in yet has no tables.
func TestBeforeAnythingIsStored(t *testing.T) {
	s := newEmptyStore(t)
	for path, want := range map[string]string{
		"requests": `"rows":[]`, "spans": `"rows":[]`, "events": `"rows":[]`,
		"traces/4bf92f3577b34da6a3ce929d0e0e4736": `"records":[]`,
		"overview":     `"routes":[]`,
		"heatmap":      `"cells":[]`,
		"histogram":    `"series":[{"key":"","counts":[0,0`,
		"journeys/a/b": `"rows":[]`,
	} {
		status, body := s.get(path)
		if status != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d: %s", path, status, body)
		}
	}
	if status, body := s.get("requests/00000000000000010000000000000001"); status != http.StatusNotFound {
		t.Errorf("a request by id: %d: %s", status, body)
	}
}
