package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// joinLimit is how long a subscription may take to say that it follows.
const joinLimit = 30 * time.Second

// maxEvent is the longest event of a tail that is read, in bytes.
const maxEvent = 16 << 20

// subscription follows a live tail and notes when probes come.
type subscription struct {
	name   string
	cancel context.CancelFunc
	ended  sync.WaitGroup
	seen   map[string]time.Time // by probe; read after stop
}

// subscribe opens a tail of probes and returns when it is open; a query server
// says itself when it follows a collector.
func subscribe(ctx context.Context, name, base string) (*subscription, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &subscription{name: name, cancel: cancel, seen: map[string]time.Time{}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+url.QueryEscape("route = '"+probeRoute+"'"), http.NoBody)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("live tail: %w", err)
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("live tail of the %s: %w", name, err)
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		response.Body.Close()
		cancel()
		return nil, fmt.Errorf("live tail of the %s answered %s: %s", name, response.Status, text)
	}
	joined := make(chan struct{})
	join := sync.OnceFunc(func() { close(joined) })
	if name == "collector" {
		join() // its answer says that it follows
	}
	s.ended.Go(func() {
		defer response.Body.Close()
		s.read(response.Body, join)
	})
	select {
	case <-joined:
		return s, nil
	case <-time.After(joinLimit):
	}
	s.stop()
	return nil, fmt.Errorf("the %s followed no live tail within %s", name, joinLimit)
}

// read takes server-sent events apart (WHATWG HTML): lines "field: value" up to an
// empty one.
func (s *subscription) read(stream io.Reader, join func()) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxEvent)
	var event string
	var data []byte
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			now := time.Now()
			switch event {
			case "record":
				if id, err := probeID(data); err == nil {
					s.seen[id] = now
				}
			case "status":
				if !strings.Contains(string(data), `"connected":0`) {
					join()
				}
			}
			event, data = "", nil
		case field == "event":
			event = value
		case field == "data":
			data = append(data, value...)
		}
	}
}

// stop ends the subscription.
func (s *subscription) stop() {
	s.cancel()
	s.ended.Wait()
}
