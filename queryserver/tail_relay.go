package queryserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// tailBacklog is how many records wait for a slow reader before they are
	// left out and counted.
	tailBacklog = 1024
	// tailTell is how long a reader that never catches up waits to be told how
	// much it misses.
	tailTell = time.Second
	// tailKeepalive is how often a silent stream shows that it is alive.
	tailKeepalive = 15 * time.Second
	// tailWriteTimeout is how long a reader may take nothing at all.
	tailWriteTimeout = 30 * time.Second
)

// tailRelay merges the live tails of collectors for readers of the API.
type tailRelay struct {
	endpoints []*url.URL
	client    *http.Client
}

func newTailRelay(endpoints []string) (*tailRelay, error) {
	t := &tailRelay{client: &http.Client{Transport: &http.Transport{
		ResponseHeaderTimeout: 10 * time.Second,
		DisableCompression:    true,
	}}}
	for i, e := range endpoints {
		u, err := parseEndpoint(e)
		if err != nil {
			return nil, fmt.Errorf("live_tail.endpoints[%d]: %w", i, err)
		}
		t.endpoints = append(t.endpoints, u)
	}
	return t, nil
}

func (t *tailRelay) close() { t.client.CloseIdleConnections() }

// tailStream is one reader: what collectors send to it, and what did not fit.
type tailStream struct {
	records   chan []byte   // record.JSON
	wake      chan struct{} // something besides records has changed
	missed    atomic.Uint64
	connected atomic.Int64
}

// push hands a record to the reader, or counts it.
func (s *tailStream) push(data []byte) {
	select {
	case s.records <- data:
	default:
		s.miss(1)
	}
}

func (s *tailStream) miss(n uint64) {
	s.missed.Add(n)
	s.notify()
}

func (s *tailStream) notify() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// serve writes events to the reader until it leaves or ctx ends.
func (t *tailRelay) serve(ctx context.Context, project, filter string, w http.ResponseWriter) {
	ctx, cancel := context.WithCancel(ctx)
	s := &tailStream{records: make(chan []byte, tailBacklog), wake: make(chan struct{}, 1)}
	var followers sync.WaitGroup
	for _, endpoint := range t.endpoints {
		followers.Go(func() { t.follow(ctx, endpoint, project, filter, s) })
	}
	defer followers.Wait()
	defer cancel()

	out := &tailWriter{w: w, control: http.NewResponseController(w)}
	out.status(TailStatus{Endpoints: len(t.endpoints)})
	keepalive := time.NewTicker(tailKeepalive)
	defer keepalive.Stop()
	shown, told := int64(0), time.Now()
	for out.err == nil {
		select {
		case <-ctx.Done():
			return
		case data := <-s.records:
			out.event("record", data)
		case <-s.wake:
		case <-keepalive.C:
			out.write(": keepalive\n\n")
		}
		if len(s.records) > 0 && time.Since(told) < tailTell {
			continue
		}
		// The reader has caught up, or has been behind for a while: tell it
		// what it missed.
		told = time.Now()
		if n := s.missed.Swap(0); n > 0 {
			out.marshal("missed", Missed{Missed: n})
		}
		if n := s.connected.Load(); n != shown {
			shown = n
			out.status(TailStatus{Connected: int(n), Endpoints: len(t.endpoints)})
		}
		out.flush()
	}
}

// tailWriter writes events; the first failure sticks.
type tailWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (o *tailWriter) write(s string) {
	if o.err != nil {
		return
	}
	if o.err = o.control.SetWriteDeadline(time.Now().Add(tailWriteTimeout)); o.err == nil {
		_, o.err = o.w.Write([]byte(s))
	}
}

func (o *tailWriter) event(name string, data []byte) {
	o.write("event: " + name + "\ndata: " + string(data) + "\n\n")
}

func (o *tailWriter) marshal(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		o.err = err
		return
	}
	o.event(name, data)
}

func (o *tailWriter) status(s TailStatus) {
	o.marshal("status", s)
	o.flush()
}

func (o *tailWriter) flush() {
	if o.err == nil {
		o.err = o.control.Flush()
	}
}
