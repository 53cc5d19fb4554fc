package queryserver

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// liveTail speaks the collector's side of the wire from a script: one list of
// events for each connection, after which the connection ends or stays.
func liveTail(t *testing.T, connections ...[]string) *httptest.Server {
	t.Helper()
	var n atomic.Int64
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/tail" || r.URL.Query().Get("project") != "default" || r.URL.Query().Get("filter") != "status >= 500" {
			t.Errorf("asked %s", r.URL)
		}
		i := int(n.Add(1)) - 1
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range connections[min(i, len(connections)-1)] {
			fmt.Fprint(w, event)
		}
		_ = http.NewResponseController(w).Flush()
		if i >= len(connections)-1 {
			select { // the last script stays connected
			case <-r.Context().Done():
			case <-done:
			}
		}
	}))
	t.Cleanup(func() {
		close(done)
		server.Close()
	})
	return server
}

func recordEvent(id int) string { return fmt.Sprintf("event: record\ndata: {\"id\":\"%d\"}\n\n", id) }

// readEvents collects the data of events of a stream by their names until stop.
func readEvents(t *testing.T, url string, stop func(map[string][]string) bool) map[string][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %v", resp.Status, resp.Header)
	}
	events := map[string][]string{}
	name := ""
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = n
		} else if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			events[name] = append(events[name], data)
			if stop(events) {
				return events
			}
		}
	}
	t.Fatalf("the stream ended with %v: %v", events, lines.Err())
	return nil
}

const tailPath = "/api/v1/projects/default/tail?filter=status+%3E%3D+500"

func TestTailMergesCollectorsAndReconnects(t *testing.T) {
	first := liveTail(t,
		[]string{recordEvent(1), ": keepalive\n\n", recordEvent(2)}, // then the collector goes away
		[]string{recordEvent(3), "event: missed\ndata: {\"missed\":7}\n\n"},
	)
	second := liveTail(t, []string{recordEvent(4), "event: missed\ndata: {\"missed\":5}\n\n"})
	base := startServer(t, func(c *Config) { c.LiveTail.Endpoints = []string{first.URL, second.URL} })

	missed := 0
	events := readEvents(t, base+tailPath, func(e map[string][]string) bool {
		missed = 0
		for _, m := range e["missed"] {
			var n int
			if _, err := fmt.Sscanf(m, `{"missed":%d}`, &n); err != nil {
				t.Fatal(m)
			}
			missed += n
		}
		return len(e["record"]) == 4 && missed == 12
	})
	seen := strings.Join(events["record"], "")
	for id := 1; id <= 4; id++ {
		if !strings.Contains(seen, fmt.Sprintf(`{"id":"%d"}`, id)) {
			t.Errorf("record %d is missing from %s", id, seen)
		}
	}
}

func TestTailSaysWhoIsConnected(t *testing.T) {
	up := liveTail(t, []string{recordEvent(1)})
	base := startServer(t, func(c *Config) { c.LiveTail.Endpoints = []string{up.URL, "http://127.0.0.1:9"} })
	events := readEvents(t, base+tailPath, func(e map[string][]string) bool { return len(e["status"]) == 2 })
	if events["status"][0] != `{"connected":0,"endpoints":2}` || events["status"][1] != `{"connected":1,"endpoints":2}` {
		t.Errorf("got %v", events["status"])
	}
}

// A reader that takes nothing is told how much it missed, and the backlog that
// is kept for it has an end.
func TestTailCountsWhatASlowReaderMisses(t *testing.T) {
	s := &tailStream{records: make(chan []byte, tailBacklog), wake: make(chan struct{}, 1)}
	for i := range tailBacklog + 10 {
		s.take("record", fmt.Appendf(nil, "%d", i))
	}
	s.take("missed", []byte(`{"missed":5}`))
	s.take("missed", []byte(`nonsense`))
	s.take("unknown", nil)
	if got := s.missed.Load(); got != 15 || len(s.records) != tailBacklog {
		t.Errorf("missed %d with %d kept, want 15 with %d", got, len(s.records), tailBacklog)
	}
	select {
	case <-s.wake:
	default:
		t.Error("the writer was not woken to tell")
	}
}
