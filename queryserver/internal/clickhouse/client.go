package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Query is one statement with its parameters. Values never become part of the
// text: they travel as param_* and the statement names them {name:Type}.
type Query struct {
	// Name says which plan made the statement, for logs.
	Name string
	SQL  string
	// Params are in the text form of their type, unescaped.
	Params map[string]string
	// Settings tune this statement. One that the store does not know is left out:
	// what it switches does not exist there.
	Settings map[string]string
}

// Stats says what statements cost the store.
type Stats struct {
	RowsRead  uint64
	BytesRead uint64
	Elapsed   time.Duration
}

// Add sums up the stats of statements.
func (s *Stats) Add(o Stats) {
	s.RowsRead += o.RowsRead
	s.BytesRead += o.BytesRead
	s.Elapsed += o.Elapsed
}

// Options say where the store is and how long it may take.
type Options struct {
	Endpoint *url.URL
	Username string
	Password string
	Database string
	// Timeout bounds one statement. The store is told, so that it stops by itself.
	Timeout time.Duration
}

// Client runs statements. It is safe for concurrent use.
type Client struct {
	opts Options
	http *http.Client
	// unknown holds the names of settings that the store turned out not to have.
	unknown sync.Map
}

// maxIdle is how many connections are kept for the next question. A page of the
// UI asks about five at a time.
const maxIdle = 32

// New makes a client. It connects when the first statement is sent.
func New(o Options) *Client {
	return &Client{opts: o, http: &http.Client{Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConnsPerHost: maxIdle,
		IdleConnTimeout:     time.Minute,
		// The store is near; compressing rows costs more than it saves.
		DisableCompression: true,
	}}}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// grace is how much longer than the store the client waits, so that the store's
// own time-out error arrives.
const grace = 2 * time.Second

// Select runs a statement and calls row once for every row of the answer; row
// reads all columns. A canceled context closes the connection, upon which the
// store stops the statement.
func (c *Client) Select(ctx context.Context, q Query, row func(*Reader)) (Stats, error) {
	for {
		stats, err := c.attempt(ctx, q, row)
		if err == nil || !c.learn(q, err) {
			return stats, err
		}
	}
}

// learn remembers the setting of q that the store did not know, and says whether
// there was one.
func (c *Client) learn(q Query, err error) bool {
	var e *Exception
	if !errors.As(err, &e) || e.Code != codeUnknownSetting {
		return false
	}
	for name := range q.Settings {
		if _, known := c.unknown.Load(name); !known && strings.Contains(e.Message, name) {
			c.unknown.Store(name, true)
			return true
		}
	}
	return false
}

func (c *Client) attempt(ctx context.Context, q Query, row func(*Reader)) (Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout+grace)
	defer cancel()
	queryID := "trackway-" + rand.Text()
	begin := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url(q, queryID), strings.NewReader(q.SQL))
	if err != nil {
		return Stats{}, fmt.Errorf("statement %s: %w", q.Name, err)
	}
	req.Header.Set("X-ClickHouse-User", c.opts.Username)
	if c.opts.Password != "" {
		req.Header.Set("X-ClickHouse-Key", c.opts.Password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return Stats{}, fmt.Errorf("statement %s: %w", q.Name, cause)
		}
		return Stats{}, fmt.Errorf("statement %s: %w at %s: %w", q.Name, ErrUnreachable, c.opts.Endpoint.Redacted(), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Stats{}, fmt.Errorf("statement %s: %w", q.Name, exception(resp, queryID))
	}
	r := newReader(resp.Body)
	for r.more() {
		row(r)
	}
	if r.err != nil {
		return Stats{}, fmt.Errorf("statement %s: %w", q.Name, r.err)
	}
	stats := summary(resp.Header)
	stats.Elapsed = time.Since(begin)
	return stats, nil
}

// roomForFilters lets in what the largest filter becomes: 256 comparisons of
// attributes as numbers, in each part of a statement. By default a statement has
// 256 KiB and 50,000 elements.
var roomForFilters = map[string]string{
	"max_query_size":            "4194304",
	"max_ast_elements":          "1000000",
	"max_expanded_ast_elements": "1000000",
}

// url puts parameters and settings where the HTTP interface takes them.
func (c *Client) url(q Query, queryID string) string {
	v := url.Values{}
	v.Set("database", c.opts.Database)
	v.Set("default_format", "RowBinary")
	v.Set("query_id", queryID)
	// The answer is complete before it is sent: an exception is then a status
	// code, and the summary has the final figures. Pages are small.
	v.Set("wait_end_of_query", "1")
	v.Set("readonly", "1")
	for name, value := range roomForFilters {
		v.Set(name, value)
	}
	v.Set("max_execution_time", fmt.Sprintf("%.3f", c.opts.Timeout.Seconds()))
	for name, value := range q.Settings {
		if _, unknown := c.unknown.Load(name); !unknown {
			v.Set(name, value)
		}
	}
	for name, value := range q.Params {
		v.Set("param_"+name, escape(value))
	}
	u := *c.opts.Endpoint
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = v.Encode()
	return u.String()
}

// escape writes a parameter's value the way the store reads it: as a field of
// TabSeparated.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n", "\r", "\\r", "\x00", "\\0", "\b", "\\b", "\f", "\\f", "'", "\\'")

// summary reads X-ClickHouse-Summary, whose figures are strings.
func summary(h http.Header) Stats {
	var s struct {
		ReadRows  json.Number `json:"read_rows"`
		ReadBytes json.Number `json:"read_bytes"`
	}
	if json.Unmarshal([]byte(h.Get("X-ClickHouse-Summary")), &s) != nil {
		return Stats{} // a proxy may drop the header: figures are then unknown
	}
	rows, _ := s.ReadRows.Int64()
	bytes, _ := s.ReadBytes.Int64()
	return Stats{RowsRead: uint64(max(rows, 0)), BytesRead: uint64(max(bytes, 0))}
}

// Ping asks whether the store answers.
func (c *Client) Ping(ctx context.Context) error {
	u := c.opts.Endpoint.JoinPath("ping")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.opts.Endpoint.Redacted(), err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w at %s: /ping answered %s", ErrUnreachable, c.opts.Endpoint.Redacted(), resp.Status)
	}
	return nil
}
