package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// Tail is an open subscription to the live tail.
type Tail struct {
	mu      sync.Mutex
	joined  chan struct{} // closed when the server says that it follows a collector
	joining sync.Once
	records []record.JSON
	missed  int64
	err     error
}

// OpenTail subscribes through the query server and returns once the server says
// that it follows a collector, so that whatever is sent afterwards must be seen.
// It ends with the test.
func (s *Stack) OpenTail(t testing.TB, filter string) *Tail {
	t.Helper()
	return openTail(t, s.Query+project+"tail?"+url.Values{"filter": {filter}}.Encode())
}

func openTail(t testing.TB, address string) *Tail {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req) //nolint:bodyclose // Tail.follow closes it
	if err != nil {
		t.Fatalf("tail: %v", err)
	}
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		t.Fatalf("tail: %s, content type %q: %s", res.Status, kind, body)
	}
	tail := &Tail{joined: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tail.follow(ctx, res)
	}()
	t.Cleanup(func() {
		cancel() // ends the read, and so the goroutine
		<-done
	})
	select {
	case <-tail.joined:
	case <-done:
		_, _, err := tail.Records()
		t.Fatal(err)
	case <-time.After(readyTimeout):
		t.Fatalf("tail: the server followed no collector within %s", readyTimeout)
	}
	return tail
}

// follow reads the stream to its end and keeps why it ended, unless the test
// ended it.
func (tl *Tail) follow(ctx context.Context, res *http.Response) {
	defer func() { _ = res.Body.Close() }()
	err := tl.read(res.Body)
	if ctx.Err() == nil {
		tl.mu.Lock()
		defer tl.mu.Unlock()
		tl.err = fmt.Errorf("tail ended: %w", err)
	}
}

// read takes the stream apart: an event is lines "field: value" up to an empty
// line (WHATWG HTML, server-sent events).
func (tl *Tail) read(stream io.Reader) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 16<<20)
	var event, data string
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if err := tl.take(event, data); err != nil {
				return err
			}
			event, data = "", ""
		case field == "event":
			event = value
		case field == "data":
			data += value
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.EOF
}

func (tl *Tail) take(event, data string) error {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	switch event {
	case "record":
		var r record.JSON
		if err := json.Unmarshal([]byte(data), &r); err != nil {
			return fmt.Errorf("record event %.200s: %w", data, err)
		}
		tl.records = append(tl.records, r)
	case "missed":
		var m struct{ Missed int64 }
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			return fmt.Errorf("missed event %.200s: %w", data, err)
		}
		tl.missed += m.Missed
	case "status":
		var st struct{ Connected int }
		if err := json.Unmarshal([]byte(data), &st); err != nil {
			return fmt.Errorf("status event %.200s: %w", data, err)
		}
		if st.Connected > 0 {
			tl.joining.Do(func() { close(tl.joined) })
		}
	}
	// Clients ignore events they do not know.
	return nil
}

// Records gives what has arrived, how many records the server says it left out,
// and why the stream ended where it did.
func (tl *Tail) Records() (records []record.JSON, missed int64, err error) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return append([]record.JSON(nil), tl.records...), tl.missed, tl.err
}
