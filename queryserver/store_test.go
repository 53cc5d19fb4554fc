package queryserver

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// testStore is a database of its own in a real engine.
type testStore struct {
	t        *testing.T
	endpoint *url.URL
	database string
	client   *clickhouse.Client
	api      *httptest.Server
}

// testEngine gives the ClickHouse endpoint to test against, credentials included:
// TRACKWAY_TEST_CLICKHOUSE, or an engine of the test's own.
func testEngine(t *testing.T) *url.URL {
	t.Helper()
	if given := os.Getenv("TRACKWAY_TEST_CLICKHOUSE"); given != "" {
		u, err := url.Parse(given)
		if err != nil || u.User == nil {
			t.Fatalf("TRACKWAY_TEST_CLICKHOUSE: want http://user:password@host:port, got %q", given)
		}
		return u
	}
	engine := enginetest.Start(t)
	u, err := url.Parse(engine.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(engine.User, engine.Password)
	return u
}

// newTestStore makes a database with the schema and a query server over it.
func newTestStore(t *testing.T) *testStore {
	t.Helper()
	s := newEmptyStore(t)
	err := schema.Create(t.Context(), schema.Options{Database: s.database}, func(_ context.Context, sql string) error {
		return s.post("", sql, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newEmptyStore is newTestStore before anything was ever stored.
func newEmptyStore(t *testing.T) *testStore {
	t.Helper()
	endpoint := testEngine(t)
	password, _ := endpoint.User.Password()
	plain := *endpoint
	plain.User = nil
	s := &testStore{t: t, endpoint: endpoint, database: fmt.Sprintf("q%d", time.Now().UnixNano())}
	cfg := DefaultConfig()
	cfg.Projects = []string{"default", "other"}
	cfg.LiveTail.Endpoints = nil
	s.client = clickhouse.New(clickhouse.Options{
		Endpoint: &plain, Username: endpoint.User.Username(), Password: password,
		Database: s.database, Timeout: 20 * time.Second,
	})
	tails, err := newTailRelay(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.api = httptest.NewServer(newHandler(cfg, s.client, tails, nil))
	t.Cleanup(func() {
		s.api.Close()
		s.client.Close()
		if err := s.post("", "DROP DATABASE IF EXISTS "+s.database, nil); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

func (s *testStore) post(database, sql string, body []byte) error {
	u := *s.endpoint
	u.Path, u.RawQuery = "/", url.Values{"database": {database}, "query": {sql}}.Encode()
	resp, err := http.Post(u.String(), "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", sql, resp.Status, answer)
	}
	return nil
}

// insert writes records of one kind as RowBinary, in the columns answers hold.
func (s *testStore) insert(records ...record.Record) {
	s.t.Helper()
	byKind := map[record.Kind][]record.Record{}
	for _, r := range records {
		byKind[r.Kind] = append(byKind[r.Kind], r)
	}
	for kind, rows := range byKind {
		set, err := columnsOf(kind, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		var b bytes.Buffer
		for i := range rows {
			writeText(&b, rows[i].Project)
			_ = binary.Write(&b, binary.LittleEndian, uint16(4000)) // ttl_days: the clock must not matter
			for _, c := range set.columns {
				writeColumn(s.t, &b, c.name, &rows[i])
			}
		}
		sql := "INSERT INTO " + s.database + "." + table(kind) + " (project, ttl_days, " + set.list() + ") FORMAT RowBinary"
		if err := s.post(s.database, sql, b.Bytes()); err != nil {
			s.t.Fatal(err)
		}
	}
}

func writeText(b *bytes.Buffer, v string) {
	b.Write(binary.AppendUvarint(nil, uint64(len(v))))
	b.WriteString(v)
}

func writePairs(b *bytes.Buffer, p record.Pairs) {
	b.Write(binary.AppendUvarint(nil, uint64(len(p))))
	for _, kv := range p {
		writeText(b, kv.Key)
		writeText(b, kv.Value)
	}
}

func writeColumn(t testing.TB, b *bytes.Buffer, name string, r *record.Record) {
	t.Helper()
	texts := map[string]string{
		"service": r.Service, "env": r.Env, "release": r.Release, "instance": r.Instance, "name": r.Name, "kind": r.SpanKind,
		"method": r.Method, "route": r.Route, "path": r.Path, "span_status": r.SpanStatus, "trace_state": r.TraceState,
		"request_id": r.RequestID, "user_agent": r.UserAgent, "client_ip": r.ClientIP, "message": r.Message,
		"error_type": r.ErrorType, "error_message": r.ErrorMessage, "error_stack": r.ErrorStack,
		"request_body": r.RequestBody, "response_body": r.ResponseBody, "scope_name": r.ScopeName,
		"scope_version": r.ScopeVersion, "links": r.Links, "marks": r.Marks,
	}
	fixed := map[string]any{
		"ts": r.Time.UnixNano(), "rid": r.RID, "status": r.Status, "duration": r.Duration, "trace_id": r.TraceID, "span_id": r.SpanID,
		"parent_span_id": r.ParentSpanID, "flags": r.Flags, "request_bytes": r.RequestBytes, "response_bytes": r.ResponseBytes,
		"severity": r.Severity, "error_group": r.ErrorGroup, "weight": max(r.Weight, 256),
	}
	pairs := map[string]record.Pairs{
		"attributes": r.Attributes, "resource": r.Resource, "correlation": r.Correlation,
		"request_headers": r.RequestHeaders, "response_headers": r.ResponseHeaders,
	}
	if v, ok := texts[name]; ok {
		writeText(b, v)
	} else if v, ok := fixed[name]; ok {
		_ = binary.Write(b, binary.LittleEndian, v)
	} else if v, ok := pairs[name]; ok {
		writePairs(b, v)
	} else {
		t.Fatalf("the test does not know column %s", name)
	}
}

// get asks the API and gives the status and the body.
func (s *testStore) get(path string, query ...string) (int, []byte) {
	s.t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		v.Set(query[i], query[i+1])
	}
	u := s.api.URL + "/api/v1/projects/default/" + strings.TrimPrefix(path, "/") + "?" + v.Encode()
	resp, err := http.Get(u)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, body
}
