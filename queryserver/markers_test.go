package queryserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// send makes a request with a body and gives the status and the answer.
func (s *testStore) send(method, path, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.api.URL+"/api/v1/projects/default/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestMarkersAreKept(t *testing.T) {
	s := newTestStoreWithMetadata(t, metadata.FileDSN(filepath.Join(t.TempDir(), metadata.FileName)))
	status, body := s.send(http.MethodPost, "markers", `{"title":"Deploy v2","release":"v2","service":"api","env":"prod","url":"https://ci.example/7","ts":"2026-11-01T04:00:00Z"}`)
	var made Marker
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != http.StatusCreated || made.ID == "" || made.Automatic {
		t.Fatalf("%d: %s", status, body)
	}
	if status, body := s.send(http.MethodPost, "markers", `{"title":"now"}`); status != http.StatusCreated {
		t.Fatalf("%d: %s", status, body)
	}
	window := []string{"from", "2026-11-01T03:00:00Z", "to", "2026-11-01T05:00:00Z"}
	got := decodeAnswer[Markers](t, s, "markers", window...)
	if len(got.Markers) != 1 || got.Markers[0] != made {
		t.Errorf("%+v, want %+v", got.Markers, made)
	}
	if got := decodeAnswer[Markers](t, s, "markers", append(window, "service", "web")...); len(got.Markers) != 0 {
		t.Errorf("of another service: %+v", got.Markers)
	}
	if got := decodeAnswer[Markers](t, s, "markers", "from", "-1h", "to", time.Now().Add(time.Hour).Format(time.RFC3339)); len(got.Markers) != 1 || got.Markers[0].Title != "now" {
		t.Errorf("without a time: %+v", got.Markers)
	}
	for want, body := range map[string]string{
		"title":   `{"release":"v2"}`,
		"ts":      `{"title":"t","ts":"yesterday"}`,
		"url":     `{"title":"t","url":"javascript:1"}`,
		"service": `{"title":"t","service":"` + strings.Repeat("s", 201) + `"}`,
		"colour":  `{"title":"t","colour":"red"}`,
		"line":    `{"title":"a\nb"}`,
	} {
		if status, answer := s.send(http.MethodPost, "markers", body); status != http.StatusBadRequest || !strings.Contains(answer, want) {
			t.Errorf("%s: %d: %s, want 400 and %q", body, status, answer, want)
		}
	}
	if _, answer := s.send(http.MethodPost, "markers", `{"title":"t","url":"javascript:1"}`); !strings.Contains(answer, `"location":"body.url"`) {
		t.Errorf("no place is named: %s", answer)
	}
	if status, _ := s.send(http.MethodPost, "markers", `{"title":"`+strings.Repeat("x", maxMarkerBody)+`"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d", status)
	}
	if status, body := s.send(http.MethodDelete, "markers/"+made.ID, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d: %s", status, body)
	}
	if status, _ := s.send(http.MethodDelete, "markers/"+made.ID, ""); status != http.StatusNotFound {
		t.Errorf("delete again: %d", status)
	}
	if got := decodeAnswer[Markers](t, s, "markers", window...); len(got.Markers) != 0 {
		t.Errorf("%+v", got.Markers)
	}
	if status, body := s.send(http.MethodPut, "markers", "{}"); status != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d: %s", status, body)
	}
}

func TestMarkersWithoutAMetadataStore(t *testing.T) {
	s := newTestStore(t)
	if status, body := s.send(http.MethodPost, "markers", `{"title":"t"}`); status != http.StatusServiceUnavailable || !strings.Contains(body, "metadata.dsn") {
		t.Errorf("%d: %s", status, body)
	}
	if got := decodeAnswer[Markers](t, s, "markers"); len(got.Markers) != 0 {
		t.Errorf("%+v", got)
	}
}

// Releases that were not seen for a day are markers, once for each service, unless
// somebody set one.
func TestReleasesAreMarkers(t *testing.T) {
	s := newTestStoreWithMetadata(t, metadata.FileDSN(filepath.Join(t.TempDir(), metadata.FileName)))
	var all []record.Record
	for i := range 600 {
		at := figuresStart.Add(time.Duration(i) * time.Minute)
		for _, service := range []string{"api", "web"} {
			rec := record.Record{Kind: record.Request, Project: "default", RID: uint64(len(all) + 1), Time: at, Service: service, Release: "v1"}
			switch {
			case service == "api" && i >= 300:
				rec.Release = "v2"
			case service == "web" && i >= 400:
				rec.Release = "v3"
			case i%7 == 0:
				rec.Release = ""
			}
			all = append(all, rec)
		}
	}
	s.insert(all...)
	if status, body := s.send(http.MethodPost, "markers", `{"title":"v3 is out","release":"v3","ts":"2026-11-01T09:30:00Z"}`); status != http.StatusCreated {
		t.Fatalf("%d: %s", status, body)
	}
	got := decodeAnswer[Markers](t, s, "markers", "from", "2026-11-01T07:00:00Z", "to", "2026-11-02T00:00:00Z")
	if len(got.Markers) != 2 || !got.Markers[0].Automatic || got.Markers[0].Title != "api v2" || !got.Markers[0].TS.Equal(figuresStart.Add(300*time.Minute)) || got.Markers[1].Title != "v3 is out" {
		t.Errorf("%+v", got.Markers)
	}
	all1 := decodeAnswer[Markers](t, s, "markers", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "automatic", "true")
	if len(all1.Markers) != 4 {
		t.Errorf("from the start: %+v", all1.Markers)
	}
	if got := decodeAnswer[Markers](t, s, "markers", "from", "2026-11-01T07:00:00Z", "to", "2026-11-02T00:00:00Z", "automatic", "false"); len(got.Markers) != 1 {
		t.Errorf("without automatic ones: %+v", got.Markers)
	}
	// The limit counts those of the service asked for, and takes the newest.
	for service, want := range map[string]string{"api": "api v2", "web": "v3 is out"} {
		got := decodeAnswer[Markers](t, s, "markers", "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z", "service", service, "limit", "1")
		if !slices.ContainsFunc(got.Markers, func(m Marker) bool { return m.Title == want }) {
			t.Errorf("of %s: %+v, want %s among them", service, got.Markers, want)
		}
	}

	// From a sample, the first record is found all the same.
	a := &api{store: s.client, now: time.Now}
	w := window{figuresStart, figuresStart.Add(10 * time.Hour)}
	part := sampleOf(w, 10, 1)
	found, err := a.lookClosely(t.Context(), "default", w, part, []seenRelease{{serviceRelease{"api", "v2"}, figuresStart.Add(303 * time.Minute), time.Time{}}})
	if err != nil || len(found) != 1 || !found[0].first.Equal(figuresStart.Add(300*time.Minute)) {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := a.seenReleases(t.Context(), "default", part, nil); err != nil {
		t.Error(fmt.Errorf("a sample: %w", err))
	}
}

// newTestStoreWithMetadata is newTestStore with a metadata store beside it.
func newTestStoreWithMetadata(t *testing.T, dsn string) *testStore {
	t.Helper()
	s := newTestStore(t)
	cfg := DefaultConfig()
	cfg.Projects = []string{"default"}
	cfg.LiveTail.Endpoints = nil
	cfg.Metadata.DSN = Secret(dsn)
	follower, err := followMetadata(t.Context(), cfg.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	tails, err := newTailRelay(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.api.Close()
	s.api = httptest.NewServer(newHandler(cfg, s.client, tails, follower))
	t.Cleanup(func() {
		if err := follower.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
