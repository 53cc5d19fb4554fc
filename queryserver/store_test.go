package queryserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	unitcolumns "github.com/trackwayhq/trackway/internal/columns"
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
	cfg.SQL.MaxConcurrent = 8
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

// insert stores records as the exporter does, derived rows too.
func (s *testStore) insert(records ...record.Record) {
	s.t.Helper()
	s.insertInto("", records...)
}

// insertInto stores what goes into one table, or into all for "".
func (s *testStore) insertInto(table string, records ...record.Record) {
	s.t.Helper()
	var b unitcolumns.Batch
	for _, r := range records {
		r.TTLDays = 4000 // the clock must not matter
		r.Weight = max(r.Weight, 256)
		b.BeginItem(r.Project)
		b.Append(&r)
	}
	for _, part := range b.Parts() {
		inserts, err := new(unitcolumns.Encoder).Unit(rand.Uint64(), []*unitcolumns.Part{part})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, ins := range inserts {
			if table != "" && ins.Table != table {
				continue
			}
			sql := "INSERT INTO " + s.database + "." + ins.Table + " (" + ins.Columns + ") FORMAT Native"
			if err := s.post(s.database, sql, ins.Body); err != nil {
				s.t.Fatal(err)
			}
		}
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
