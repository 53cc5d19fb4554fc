package clickhouse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// As is the client of another user of the same store. It shares the connections.
func (c *Client) As(username, password string) *Client {
	o := c.opts
	o.Username, o.Password = username, password
	return &Client{opts: o, http: c.http}
}

// Database is where names without one are looked up.
func (c *Client) Database() string { return c.opts.Database }

// StreamQuery is a statement whose answer is passed on as bytes of a format.
type StreamQuery struct {
	Query
	// Format is a ClickHouse format for statements that name none.
	Format string
	// ID is the statement's id in the store, by which Kill finds it.
	ID string
	// Database is where names without one are looked up. Empty: the client's.
	Database string
	// Timeout bounds the statement instead of the client's.
	Timeout time.Duration
	// Whole has the store hold the answer back until it is complete: every
	// exception is then an error of Open, and the stats are final.
	Whole bool
}

// Stream is the answer to a StreamQuery. Read gives its bytes; an exception behind
// the first of them is an *Exception from Read.
type Stream struct {
	// Stats are what the store knew when it sent the first byte: with Whole, all.
	Stats   Stats
	Memory  uint64 // most bytes of memory used; 0 where the store does not tell
	body    io.ReadCloser
	id      string
	marker  []byte
	held    []byte // read and not yet given out
	ended   error  // what follows held
	release context.CancelFunc
	ctx     context.Context
}

// Open sends a statement and returns when its answer begins. The caller closes the
// stream, which stops the statement when it still runs.
func (c *Client) Open(ctx context.Context, q StreamQuery) (*Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, q.Timeout+grace)
	begin := time.Now()
	resp, err := c.send(ctx, q) //nolint:bodyclose // Stream.Close does
	for err != nil && c.learn(q.Query, err) {
		resp, err = c.send(ctx, q) //nolint:bodyclose // Stream.Close does
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("statement %s: %w", q.Name, err)
	}
	s := &Stream{Stats: summary(resp.Header), Memory: memoryUsage(resp.Header), body: resp.Body, id: q.ID, release: cancel, ctx: ctx}
	s.Stats.Elapsed = time.Since(begin)
	if tag := resp.Header.Get("X-ClickHouse-Exception-Tag"); tag != "" {
		s.marker = []byte("__exception__\r\n" + tag + "\r\n")
	}
	return s, nil
}

func (c *Client) send(ctx context.Context, q StreamQuery) (*http.Response, error) {
	u, err := url.Parse(c.url(q.Query, q.ID))
	if err != nil {
		return nil, err
	}
	v := u.Query()
	v.Set("default_format", q.Format)
	v.Set("max_execution_time", fmt.Sprintf("%.3f", q.Timeout.Seconds()))
	if q.Database != "" {
		v.Set("database", q.Database)
	}
	if !q.Whole {
		v.Del("wait_end_of_query")
	}
	u.RawQuery = v.Encode()
	return c.post(ctx, u.String(), q.SQL, q.ID)
}

// post sends a statement and gives the answer to it, or the exception.
func (c *Client) post(ctx context.Context, address, sql, id string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(sql))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-ClickHouse-User", c.opts.Username)
	if c.opts.Password != "" {
		req.Header.Set("X-ClickHouse-Key", c.opts.Password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("%w at %s: %w", ErrUnreachable, c.opts.Endpoint.Redacted(), err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, exception(resp, id)
	}
	return resp, nil
}

// readSize is how much is asked for at a time.
const readSize = 64 << 10

// Read gives the next bytes of the answer, without the block by which the store
// reports an exception behind rows.
func (s *Stream) Read(p []byte) (int, error) {
	for s.ended == nil && len(s.held) <= len(s.marker)+len("\r\n") {
		buffer := make([]byte, readSize)
		n, err := s.body.Read(buffer)
		s.held = append(s.held, buffer[:n]...)
		if err != nil {
			s.ended = s.end(err)
		}
		if at := s.markerAt(); at >= 0 {
			s.ended = s.lateException(at)
		}
	}
	// What may be the beginning of an exception block waits for what follows.
	free := len(s.held)
	if s.ended == nil {
		free -= len(s.marker) + len("\r\n")
	}
	if free <= 0 {
		return 0, s.ended
	}
	n := copy(p, s.held[:free])
	s.held = s.held[n:]
	return n, nil
}

func (s *Stream) markerAt() int {
	if s.marker == nil {
		return -1
	}
	return bytes.Index(s.held, s.marker)
}

// end is the error for the end of the body.
func (s *Stream) end(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case s.ctx.Err() != nil:
		return fmt.Errorf("read the answer: %w", context.Cause(s.ctx))
	}
	return fmt.Errorf("read the answer: %w: %w", ErrUnreachable, err)
}

// lateException takes the exception block off what was read, reading the rest of
// it first.
func (s *Stream) lateException(at int) error {
	rest, _ := io.ReadAll(io.LimitReader(s.body, maxErrorBody)) // it breaks off behind the block
	text := string(s.held[at+len(s.marker):]) + string(rest)
	s.held = bytes.TrimSuffix(s.held[:at], []byte("\r\n"))
	text, _, _ = strings.Cut(text, "\n__exception__\r\n")
	text = strings.TrimRight(text, "\r\n")
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		text = text[:last] // the last line is length and tag
	}
	return parseException(text, s.id)
}

// Close stops the statement when it still runs.
func (s *Stream) Close() error {
	s.release()
	return s.body.Close()
}

// Kill stops the statement with the id and says whether there was one.
func (c *Client) Kill(ctx context.Context, id string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout+grace)
	defer cancel()
	u := *c.opts.Endpoint
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = url.Values{"default_format": {"TabSeparated"}, "param_id": {escape(id)}}.Encode()
	resp, err := c.post(ctx, u.String(), "KILL QUERY WHERE query_id = {id:String} ASYNC", id)
	if err != nil {
		return false, fmt.Errorf("statement kill: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		return false, fmt.Errorf("statement kill: %w", err)
	}
	return len(bytes.TrimSpace(answer)) > 0, nil
}

// memoryUsage reads what newer servers add to the summary.
func memoryUsage(h http.Header) uint64 {
	var s struct {
		MemoryUsage json.Number `json:"memory_usage"`
	}
	if json.Unmarshal([]byte(h.Get("X-ClickHouse-Summary")), &s) != nil {
		return 0
	}
	n, _ := s.MemoryUsage.Int64()
	return uint64(max(n, 0))
}
