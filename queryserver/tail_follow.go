package queryserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

const (
	// Reconnecting starts soon, since a supervised collector is back in a second.
	tailRetryFirst = 250 * time.Millisecond
	tailRetryMax   = 10 * time.Second
	// tailSilence is how long a collector may send nothing, not even its
	// keepalive of every 15 s, before the connection counts as dead.
	tailSilence = 45 * time.Second
	// maxTailLine is the longest event taken, in bytes: a record with both bodies.
	maxTailLine = 32 << 20
)

// follow reads one collector's live tail into the stream, connecting again
// whenever it breaks, until ctx ends.
func (t *tailRelay) follow(ctx context.Context, endpoint *url.URL, project, filter string, s *tailStream) {
	retry := tailRetryFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := t.followOnce(ctx, endpoint, project, filter, s)
		if ctx.Err() != nil {
			return
		}
		slog.DebugContext(ctx, "live tail interrupted", "endpoint", endpoint.Redacted(), "error", err, "retry_in", retry)
		if time.Since(began) > tailRetryMax {
			retry = tailRetryFirst // it had worked
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
		retry = min(retry*2, tailRetryMax)
	}
}

// followOnce reads one connection until it ends, which is always an error.
func (t *tailRelay) followOnce(ctx context.Context, endpoint *url.URL, project, filter string, s *tailStream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u := endpoint.JoinPath("v1", "tail")
	u.RawQuery = url.Values{"project": {project}, "filter": {filter}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", u.Redacted(), resp.Status)
	}
	s.connected.Add(1)
	s.notify()
	defer func() {
		s.connected.Add(-1)
		s.notify()
	}()

	dead := time.AfterFunc(tailSilence, cancel)
	defer dead.Stop()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 64<<10), maxTailLine)
	var event string
	for lines.Scan() {
		dead.Reset(tailSilence)
		line := lines.Bytes()
		if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			event = string(name)
		} else if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			s.take(event, data)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	return fmt.Errorf("%s ended the stream", u.Redacted())
}

// take passes on one event of a collector.
func (s *tailStream) take(event string, data []byte) {
	switch event {
	case "record":
		s.push(bytes.Clone(data))
	case "missed":
		var m Missed
		if json.Unmarshal(data, &m) == nil && m.Missed > 0 {
			s.miss(m.Missed)
		}
	}
}
