package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// ErrNotRunning means that nobody serves the socket.
var ErrNotRunning = errors.New("no collector runs")

// Client asks a running collector.
type Client struct {
	path string
	http http.Client
}

// NewClient returns a client of the socket at path.
func NewClient(path string) *Client {
	return &Client{path: path, http: http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, path) },
	}}}
}

// StatusError is an answer other than 2xx.
type StatusError struct {
	Status  int
	Message string
}

func (e *StatusError) Error() string { return e.Message }

// Do sends a request, with body as JSON unless it is nil, and decodes the answer
// into answer unless that is nil. ErrNotRunning if nobody serves the socket.
func (c *Client) Do(ctx context.Context, method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://collector"+path, sent)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s: %w", c.path, ErrNotRunning)
	case err != nil:
		return fmt.Errorf("admin socket %s: %w", c.path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("admin socket %s: %w", c.path, err)
	}
	if resp.StatusCode/100 != 2 {
		var said struct{ Error string }
		if json.Unmarshal(data, &said) != nil || said.Error == "" {
			said.Error = fmt.Sprintf("%s %s: HTTP %d: %s", method, path, resp.StatusCode, bytes.TrimSpace(data))
		}
		return &StatusError{Status: resp.StatusCode, Message: said.Error}
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("answer of %s %s: %w", method, path, err)
	}
	return nil
}
