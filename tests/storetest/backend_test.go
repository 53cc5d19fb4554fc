package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/tests/harness"
)

// system is a collector and a query server over one database.
type system struct {
	ndjson, api string
	loaded      map[string]map[string]bool // by table: timestamps of everything loaded
}

const collectorConfig = `
extensions:
  health_check:
    endpoint: ${env:HEALTH}
receivers:
  request_event:
    http:
      endpoint: ${env:NDJSON}
processors:
  project:
    default_project: default
  correlation:
exporters:
  clickhouse_rollup:
    clickhouse:
      endpoint: ${env:ENDPOINT}
    username: ${env:USERNAME}
    password: ${env:PASSWORD}
    database: ${env:DATABASE}
service:
  extensions: [health_check]
  telemetry:
    metrics:
      level: none
  pipelines:
    traces:
      receivers: [request_event]
      processors: [project, correlation]
      exporters: [clickhouse_rollup]
    logs:
      receivers: [request_event]
      processors: [project, correlation]
      exporters: [clickhouse_rollup]
`

const queryConfig = `
listen: 127.0.0.1:0
clickhouse:
  endpoint: ${env:ENDPOINT}
  username: ${env:USERNAME}
  password: ${env:PASSWORD}
  database: ${env:DATABASE}
live_tail:
  endpoints: []
`

func startSystem(t *testing.T) *system {
	t.Helper()
	store := openStore(t)
	database := fmt.Sprintf("storetest_%d", time.Now().UnixNano())
	t.Cleanup(func() {
		if _, err := store.TryQuery(context.Background(), "DROP DATABASE IF EXISTS "+database); err != nil {
			t.Error(err)
		}
	})
	free := harness.FreeAddresses(t, 2)
	env := []string{
		"HEALTH=" + free[0], "NDJSON=" + free[1], "DATABASE=" + database,
		"ENDPOINT=" + store.URL(), "USERNAME=" + store.User, "PASSWORD=" + store.Password,
	}
	harness.StartCollector(t, collectorConfig, free[0], env...)

	config := filepath.Join(t.TempDir(), "query.yaml")
	if err := os.WriteFile(config, []byte(queryConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	query := harness.Start(t, "query", env, harness.Trackway(t), "query", "--config", config)
	listen, ok := query.Ready(t)["listen"].(string)
	if !ok {
		t.Fatal("the query server's ready line names no address")
	}
	return &system{
		ndjson: "http://" + free[1] + "/v1/ingest",
		api:    "http://" + listen + "/api/v1/projects/default/",
		loaded: map[string]map[string]bool{},
	}
}

// openStore gives the endpoint to test on.
func openStore(t *testing.T) harness.ClickHouse {
	t.Helper()
	given := os.Getenv("TRACKWAY_TEST_CLICKHOUSE")
	if given == "" {
		return harness.StartEngine(t).ClickHouse
	}
	u, err := url.Parse(given)
	if err != nil || u.User == nil {
		t.Fatalf("TRACKWAY_TEST_CLICKHOUSE: want http://user:password@host:port, got %q", given)
	}
	password, _ := u.User.Password()
	return harness.ClickHouse{Addr: u.Host, User: u.User.Username(), Password: password}
}

// Load sends the items as one NDJSON body and waits until all can be read.
func (s *system) Load(ctx context.Context, items []json.RawMessage) error {
	body := bytes.Join(asBytes(items), []byte("\n"))
	status, answer, err := exchange(ctx, http.MethodPost, s.ndjson, bytes.NewReader(body))
	if err != nil {
		return err
	}
	var said struct{ Accepted, Rejected int }
	if err := json.Unmarshal(answer, &said); err != nil || status != http.StatusOK || said.Rejected > 0 || said.Accepted != len(items) {
		return fmt.Errorf("%d of %d items were accepted, status %d: %s", said.Accepted, len(items), status, answer)
	}
	for _, item := range items {
		var at struct{ Type, TS string }
		if err := json.Unmarshal(item, &at); err != nil {
			return fmt.Errorf("%w in %s", err, item)
		}
		if s.loaded[at.Type+"s"] == nil {
			s.loaded[at.Type+"s"] = map[string]bool{}
		}
		s.loaded[at.Type+"s"][at.TS] = true
	}
	return s.wait(ctx)
}

// visible is how long the store may take to show what was accepted. Nothing
// asserts on it: a passing test waits for milliseconds.
const visible = 30 * time.Second

func (s *system) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, visible)
	defer cancel()
	for table, want := range s.loaded {
		for {
			missing, err := s.missing(ctx, table, want)
			if err != nil {
				return err
			}
			if missing == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%d %s are not readable %s after they were accepted", missing, table, visible)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

// missing counts the times in want at which the store has nothing.
func (s *system) missing(ctx context.Context, table string, want map[string]bool) (int, error) {
	seen := map[string]bool{}
	query := url.Values{"limit": {"10000"}, "columns": {"ts"}}
	for {
		status, body, err := s.Ask(ctx, table, query)
		if err != nil {
			return 0, err
		}
		var page harness.Rows
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			return 0, fmt.Errorf("%s: status %d: %s", table, status, body)
		}
		for _, row := range page.Rows {
			seen[row.Time] = true
		}
		if page.NextCursor == "" {
			break
		}
		query.Set("cursor", page.NextCursor)
	}
	n := 0
	for at := range want {
		if !seen[at] {
			n++
		}
	}
	return n, nil
}

// Ask asks the query server.
func (s *system) Ask(ctx context.Context, path string, query url.Values) (int, []byte, error) {
	return exchange(ctx, http.MethodGet, s.api+path+"?"+query.Encode(), http.NoBody)
}

func exchange(ctx context.Context, method, address string, body io.Reader) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return 0, nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, []byte(strings.TrimSpace(string(answer))), err
}

func asBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i := range items {
		out[i] = items[i]
	}
	return out
}
