package livetailextension

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/livetail"
)

const (
	// keepAlive is how often a comment shows that the stream lives, to proxies
	// and to us.
	keepAlive = 15 * time.Second
	// writeTimeout ends the stream of a reader that has stopped reading.
	writeTimeout = 30 * time.Second
)

// problem is the body of an error.
type problem struct {
	Error string `json:"error"`
	// Position is the byte offset in the filter where it stops making sense.
	Position *int   `json:"position,omitempty"`
	Expected string `json:"expected,omitempty"`
}

func refuse(w http.ResponseWriter, code int, p problem) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(p) // the reader may have gone
}

// tail serves GET /v1/tail.
func (t *liveTail) tail(w http.ResponseWriter, r *http.Request) {
	if !t.cfg.HTTP.Auth.HasValue() && !t.cfg.AllowUnauthenticated && t.cfg.HTTP.NetAddr.Transport != "unix" {
		if r.Header.Get("Origin") != "" || !t.cfg.hostAllowed(r.Host) {
			refuse(w, http.StatusForbidden, problem{Error: fmt.Sprintf("the live tail serves programs on this machine, not web pages and not host %q: "+
				"add the host to allowed_hosts of the live_tail extension, or configure http::auth", r.Host)})
			return
		}
	}
	project := r.URL.Query().Get("project")
	if !conventions.ValidProject(project) {
		refuse(w, http.StatusBadRequest, problem{Error: fmt.Sprintf("project: want the id of a project, [a-z0-9-]{1,40}, got %q", project)})
		return
	}
	sub, err := t.hub.Subscribe(project, r.URL.Query().Get("filter"))
	var bad *filter.Error
	switch {
	case errors.As(err, &bad):
		refuse(w, http.StatusBadRequest, problem{Error: bad.Error(), Position: &bad.Pos, Expected: bad.Expected})
		return
	case errors.Is(err, livetail.ErrTooMany):
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusTooManyRequests, problem{Error: err.Error()})
		return
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, problem{Error: err.Error()})
		return
	}
	defer sub.Close()

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s := stream{out: bufio.NewWriterSize(w, 64<<10), control: http.NewResponseController(w)}
	if s.comment("ready") != nil {
		return
	}
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-sub.Done():
			return
		case <-ticker.C:
			err = s.comment("keepalive")
		case <-sub.Ready():
			err = s.send(sub.Take())
		}
		if err != nil {
			return // the reader has gone, or does not read
		}
	}
}

// stream writes Server-Sent Events.
type stream struct {
	out     *bufio.Writer
	control *http.ResponseController
}

// send writes what was missed and then the records. JSON has no line ends, so a
// record is one data line.
func (s *stream) send(records [][]byte, missed uint64) error {
	if missed > 0 {
		fmt.Fprintf(s.out, "event: missed\ndata: {\"missed\":%d}\n\n", missed)
	}
	for _, r := range records {
		_, _ = s.out.WriteString("event: record\ndata: ") // errors stick and are seen by Flush
		_, _ = s.out.Write(r)
		_, _ = s.out.WriteString("\n\n")
	}
	return s.flush()
}

func (s *stream) comment(text string) error {
	_, _ = s.out.WriteString(": " + text + "\n\n")
	return s.flush()
}

func (s *stream) flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	return s.control.Flush()
}
