package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// Rows is a page of requests, spans or events.
type Rows struct {
	Rows       []record.JSON `json:"rows"`
	NextCursor string        `json:"next_cursor"`
}

// Trace is a whole trace, time ascending.
type Trace struct {
	TraceID   string        `json:"trace_id"`
	Records   []record.JSON `json:"records"`
	Truncated bool          `json:"truncated"`
}

// Journey is a page of everything that carries a correlation key.
type Journey struct {
	Rows []struct {
		ID      string    `json:"id"`
		Type    string    `json:"type"`
		Time    time.Time `json:"ts"`
		Service string    `json:"service"`
		Name    string    `json:"name"`
		Status  int       `json:"status"`
		TraceID string    `json:"trace_id"`
	} `json:"rows"`
	NextCursor string `json:"next_cursor"`
}

// project is the base of the default project's API.
const project = "/api/v1/projects/default/"

// Get asks the API for path below the default project and decodes the answer
// into out. It gives the status; out is filled only for 200.
func (s *Stack) Get(ctx context.Context, path string, query url.Values, out any) (status int, err error) {
	address := s.Query + project + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err
	}
	if res.StatusCode != http.StatusOK {
		return res.StatusCode, fmt.Errorf("GET %s: %s: %s", address, res.Status, body)
	}
	// Of an answer that came before, decoding would keep what this one leaves out.
	reflect.ValueOf(out).Elem().SetZero()
	if err := json.Unmarshal(body, out); err != nil {
		return res.StatusCode, fmt.Errorf("GET %s: %w in %.500s", address, err, body)
	}
	return res.StatusCode, nil
}

// List gives every row of table (requests, spans or events) that the filter
// matches, following the cursor; any error fails the test.
func (s *Stack) List(t testing.TB, table, filter string) []record.JSON {
	t.Helper()
	rows, err := s.TryList(table, filter)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TryList is List that gives errors to its caller.
func (s *Stack) TryList(table, filter string) ([]record.JSON, error) {
	query := url.Values{"limit": {"500"}}
	if filter != "" {
		query.Set("filter", filter)
	}
	var all []record.JSON
	for {
		var page Rows
		if _, err := s.Get(context.Background(), table, query, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Rows...)
		if page.NextCursor == "" {
			return all, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// GetTrace gives a trace; any error fails the test.
func (s *Stack) GetTrace(t testing.TB, id string) Trace {
	t.Helper()
	var trace Trace
	if _, err := s.Get(context.Background(), "traces/"+id, nil, &trace); err != nil {
		t.Fatal(err)
	}
	return trace
}

// GetJourney gives the first page of a journey; any error fails the test.
func (s *Stack) GetJourney(t testing.TB, key, value string) Journey {
	t.Helper()
	var journey Journey
	path := "journeys/" + url.PathEscape(key) + "/" + url.PathEscape(value)
	if _, err := s.Get(context.Background(), path, nil, &journey); err != nil {
		t.Fatal(err)
	}
	return journey
}

// Literal quotes a value for the filter language.
func Literal(value string) string {
	out := []byte{'\''}
	for i := range len(value) {
		if value[i] == '\'' || value[i] == '\\' {
			out = append(out, '\\')
		}
		out = append(out, value[i])
	}
	return string(append(out, '\''))
}
