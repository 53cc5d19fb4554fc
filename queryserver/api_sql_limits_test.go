package queryserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
	"github.com/trackwayhq/trackway/queryserver/sqlmode"
)

// forever runs until it is stopped, for all that a test waits.
const forever = "SELECT count() FROM numbers(1000000000) WHERE cityHash64(repeat(toString(number), 100)) = 1"

// A limit that is reached is an error that names it.
func TestSQLLimits(t *testing.T) {
	s := newSQLStore(t)
	for _, tc := range []struct {
		name, query, format string
		limits              sqlmode.Limits
		status              int
	}{
		{"max_time_ms", forever, "", sqlmode.Limits{TimeMS: 200}, http.StatusGatewayTimeout},
		{"max_time_ms", forever, "ndjson", sqlmode.Limits{TimeMS: 200}, http.StatusGatewayTimeout},
		{"max_rows_read", "SELECT count() FROM requests WHERE path != ''", "", sqlmode.Limits{RowsRead: 10}, http.StatusBadRequest},
		{"max_bytes_read", "SELECT max(path) FROM requests", "", sqlmode.Limits{BytesRead: 10}, http.StatusBadRequest},
		{"max_memory", "SELECT length(groupArray(number)) FROM numbers(10000000)", "", sqlmode.Limits{Memory: 10 << 20}, http.StatusBadRequest},
		{"max_result_rows", "SELECT number FROM numbers(101)", "", sqlmode.Limits{ResultRows: 100}, http.StatusBadRequest},
		{"max_result_rows", "SELECT number FROM numbers(101)", "csv", sqlmode.Limits{ResultRows: 100}, http.StatusBadRequest},
		{"max_result_rows", "SELECT id FROM requests", "ndjson", sqlmode.Limits{ResultRows: 199}, http.StatusBadRequest},
		{"max_result_rows", "SELECT number FROM numbers(10001)", "", sqlmode.Limits{}, http.StatusBadRequest},
		{"max_result_bytes", "SELECT repeat('x', 1000) FROM numbers(100)", "", sqlmode.Limits{ResultBytes: 50_000}, http.StatusBadRequest},
		{"max_result_bytes", "SELECT repeat('x', 1000) FROM numbers(100)", "ndjson", sqlmode.Limits{ResultBytes: 50_000}, http.StatusBadRequest},
		// More than is configured is not to be had.
		{"max_time_ms", "SELECT 1", "", sqlmode.Limits{TimeMS: 3_600_000}, http.StatusBadRequest},
		{"max_memory", "SELECT 1", "", sqlmode.Limits{Memory: 1 << 40}, http.StatusBadRequest},
		{"max_result_rows", "SELECT 1", "", sqlmode.Limits{ResultRows: 1_000_000}, http.StatusBadRequest},
	} {
		t.Run(tc.name+" "+tc.format, func(t *testing.T) {
			status, body := s.sql(tc.query, func(r *SQLRequest) { r.Limits, r.Format = tc.limits, tc.format })
			var p struct {
				Detail string
				Errors []struct{ Location string }
			}
			if err := json.Unmarshal([]byte(body), &p); err != nil || status != tc.status {
				t.Fatalf("%d: %.500s", status, body)
			}
			if !strings.Contains(p.Detail, tc.name) || len(p.Errors) != 1 || p.Errors[0].Location != "body.limits."+tc.name {
				t.Errorf("%s", body)
			}
		})
	}
	status, body := s.sql("SELECT number FROM numbers(100)", func(r *SQLRequest) { r.Limits = sqlmode.Limits{ResultRows: 100, TimeMS: 20_000} })
	if status != http.StatusOK || !strings.Contains(body, `"max_time_ms":20000`) || !strings.Contains(body, `"result_rows":100,`) {
		t.Errorf("as many rows as the limit: %d: %.300s", status, body)
	}
}

func TestSQLStreams(t *testing.T) {
	s := newSQLStore(t)
	const query = "SELECT status, count() AS n, any(attributes) AS a FROM requests WHERE attributes['plan'] = 'free' AND status = 500 GROUP BY status"
	for accept, want := range map[string]string{
		"application/x-ndjson": `{"status":500,"n":"20","a":{"plan":"free","n":"0","body":"{\"a\":{\"b\":7}}"}}` + "\n",
		"text/csv":             "\"status\",\"n\",\"a\"\n500,20,\"{'plan':'free','n':'0','body':'{\"\"a\"\":{\"\"b\"\":7}}'}\"\n",
	} {
		status, body, resp := s.postSQL("default", SQLRequest{Query: query, ID: "mine"}, accept)
		if status != http.StatusOK || body != want || !strings.HasPrefix(resp.Header.Get("Content-Type"), accept) || resp.Header.Get("Trackway-Statement-Id") != "mine" {
			t.Errorf("%s: %d %v: %s", accept, status, resp.Header, body)
		}
		var stats sqlmode.Stats
		if err := json.Unmarshal([]byte(resp.Trailer.Get("Trackway-Stats")), &stats); err != nil || stats.ResultRows != 1 || stats.ResultBytes != uint64(len(want)) {
			t.Errorf("%s: trailer %v: %+v, %v", accept, resp.Trailer, stats, err)
		}
	}
	// Millions of bytes pass through.
	status, body, resp := s.postSQL("default", SQLRequest{Query: "SELECT number, 'a\nb\"c' AS t FROM numbers(500000)", Format: "csv"}, "")
	if status != http.StatusOK || len(body) < 7_000_000 || !strings.Contains(resp.Trailer.Get("Trackway-Stats"), `"result_rows":500000,`) {
		t.Errorf("a long stream: %d, %d bytes, trailer %v", status, len(body), resp.Trailer)
	}
	// An error behind the first rows is no proper end.
	for _, format := range []string{"ndjson", "csv"} {
		status, body, resp := s.postSQL("default", SQLRequest{Query: "SELECT number, toUInt8(if(number = 900000, 'x', '1')) AS n FROM numbers(1000000)", Format: format}, "")
		if status != http.StatusOK || !strings.Contains(body, "[broken off") || resp.Trailer.Get("Trackway-Stats") != "" || strings.Contains(body, "__exception__") {
			t.Errorf("%s: %d, ends %q, trailer %v", format, status, body[max(0, len(body)-300):], resp.Trailer)
		}
		if told := strings.Contains(body, `{"error":{"title":"Bad Request","status":400,"detail":"Cannot parse`); told != (format == "ndjson") {
			t.Errorf("%s: ends %q", format, body[max(0, len(body)-300):])
		}
	}
}

// start sends a statement that runs until it is stopped and waits for it to run.
func (s *testStore) start(ctx context.Context, id string) <-chan string {
	s.t.Helper()
	ended := make(chan string, 1)
	body, _ := json.Marshal(SQLRequest{Query: forever, ID: id})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.api.URL+"/api/v1/projects/default/sql", strings.NewReader(string(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			ended <- err.Error()
			return
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		ended <- fmt.Sprintf("%d: %s", resp.StatusCode, answer)
	}()
	s.waitFor(func() bool { return s.runs(id) == 1 })
	return ended
}

// runs counts the statements with the id that the store is busy with.
func (s *testStore) runs(id string) (n uint64) {
	s.t.Helper()
	_, err := s.client.Select(s.t.Context(), clickhouse.Query{
		Name: "runs", SQL: "SELECT count() FROM system.processes WHERE query_id = {id:String}", Params: map[string]string{"id": "trackway-sql.default." + id},
	}, func(r *clickhouse.Reader) { n = r.Uint64() })
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *testStore) waitFor(done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("waited a minute")
		}
	}
}

// cancelAt asks a query server to stop a statement.
func (s *testStore) cancelAt(base, project, id string) int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodDelete, base+"/api/v1/projects/"+project+"/sql/"+id, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestSQLCancel(t *testing.T) {
	s := newSQLStore(t)
	t.Run("by its id", func(t *testing.T) {
		ended := s.start(t.Context(), "a")
		if status, body := s.sql("SELECT 1", func(r *SQLRequest) { r.ID = "a" }); status != http.StatusConflict {
			t.Errorf("a second one of the same id: %d: %s", status, body)
		}
		if status := s.cancelAt(s.api.URL, "other", "a"); status != http.StatusNotFound {
			t.Errorf("from another project: %d", status)
		}
		if status := s.cancelAt(s.api.URL, "default", "a"); status != http.StatusNoContent {
			t.Errorf("DELETE: %d", status)
		}
		if got := <-ended; !strings.HasPrefix(got, "409:") || !strings.Contains(got, "cancelled") {
			t.Errorf("the statement ended with %s", got)
		}
		s.waitFor(func() bool { return s.runs("a") == 0 })
		if status := s.cancelAt(s.api.URL, "default", "a"); status != http.StatusNotFound {
			t.Errorf("DELETE of one that has ended: %d", status)
		}
	})
	t.Run("at another query server", func(t *testing.T) {
		cfg := DefaultConfig()
		tails, err := newTailRelay(nil)
		if err != nil {
			t.Fatal(err)
		}
		second := httptest.NewServer(newHandler(cfg, s.client, tails, nil))
		defer second.Close()
		ended := s.start(t.Context(), "b")
		if status := s.cancelAt(second.URL, "default", "b"); status != http.StatusNoContent {
			t.Errorf("DELETE: %d", status)
		}
		if got := <-ended; !strings.HasPrefix(got, "409:") || !strings.Contains(got, "cancelled") {
			t.Errorf("the statement ended with %s", got)
		}
	})
	t.Run("by leaving", func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		ended := s.start(ctx, "c")
		leave()
		<-ended
		s.waitFor(func() bool { return s.runs("c") == 0 })
	})
	t.Run("by leaving a stream", func(t *testing.T) {
		body, _ := json.Marshal(SQLRequest{Query: "SELECT number, repeat('x', 100) FROM numbers(10000000)", ID: "d", Format: "ndjson"})
		resp, err := http.Post(s.api.URL+"/api/v1/projects/default/sql", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
			t.Error(err)
		}
		if n := s.runs("d"); n != 1 {
			t.Errorf("%d statements while it is read", n)
		}
		resp.Body.Close()
		s.waitFor(func() bool { return s.runs("d") == 0 })
	})
}

func TestSQLConcurrency(t *testing.T) {
	s := newSQLStore(t)
	var ended []<-chan string
	for i := range 8 { // as many as newEmptyStore configures
		ended = append(ended, s.start(t.Context(), fmt.Sprint("n", i)))
	}
	status, body, resp := s.postSQL("default", SQLRequest{Query: "SELECT 1"}, "")
	if status != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("one too many: %d %v: %s", status, resp.Header, body)
	}
	if status, body, _ := s.postSQL("other", SQLRequest{Query: "SELECT 1"}, ""); status != http.StatusOK {
		t.Errorf("another project meanwhile: %d: %s", status, body)
	}
	for i, e := range ended {
		if status := s.cancelAt(s.api.URL, "default", fmt.Sprint("n", i)); status != http.StatusNoContent {
			t.Errorf("DELETE: %d", status)
		}
		<-e
	}
	if status, body := s.sql("SELECT 1"); status != http.StatusOK {
		t.Errorf("afterwards: %d: %s", status, body)
	}
}

func TestSQLBadRequests(t *testing.T) {
	s := newSQLStore(t)
	post := func(body string) (int, string) {
		resp, err := http.Post(s.api.URL+"/api/v1/projects/default/sql", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(answer)
	}
	for body, want := range map[string]int{
		`{}`: 400, ``: 400, `{"query":""}`: 400, `{"query":1}`: 400, `{"query":"SELECT 1","format":"xml"}`: 400, `{"query":"SELECT 1","id":"a.b"}`: 400,
		`{"query":"SELECT 1","limits":{"max_rows":1}}`: 400, `{"query":"SELECT 1","limits":{"max_time_ms":-1}}`: 400, `{"query":"SELECT 1","settings":{}}`: 400, `[`: 400,
		`{"query":"SELECT '` + strings.Repeat("x", 70_000) + `'"}`:    400,
		`{"query":"SELECT '` + strings.Repeat("x", 2_000_000) + `'"}`: 413,
	} {
		if status, answer := post(body); status != want {
			t.Errorf("%.80s: %d, want %d: %.300s", body, status, want, answer)
		}
	}
	for query, want := range map[string]string{
		"SELECT count() FRO requests":        `"position":19`,
		"SELECT count(":                      `"position":12`,
		"SELECT routes FROM requests":        "there is no column and no alias routes",
		"SELECT status + 'a' FROM requests":  "Illegal types",
		"SELECT nosuch(1)":                   "the function nosuch is not available",
		"SELECT * FROM request":              "there is no view request; there are requests, spans, events",
		"SELECT toUInt8(path) FROM requests": "Cannot parse string '/a/7' as UInt8",
		"SELECT r.status FROM requests AS r, spans AS s WHERE s.status = 1": "status",
	} {
		status, body := s.sql(query)
		if status != http.StatusBadRequest || !strings.Contains(body, want) || strings.Contains(body, "t.project") || strings.Contains(body, s.database) || strings.Contains(body, "formatQuery") {
			t.Errorf("%s: %d: %s\nwant %s", query, status, body, want)
		}
	}
}

// What the schema says of a view is what a statement gets.
func TestSQLSchema(t *testing.T) {
	s := newSQLStore(t)
	status, body := s.get("sql/schema")
	var schema SQLSchema
	if err := json.Unmarshal(body, &schema); err != nil || status != http.StatusOK {
		t.Fatalf("%d: %.300s", status, body)
	}
	if len(schema.Functions) < 1000 || len(schema.Views) != len(sqlmode.Views) || schema.Limits.ResultRows == 0 || schema.StreamLimits.ResultRows <= schema.Limits.ResultRows {
		t.Errorf("%d functions, %d views, limits %+v and %+v", len(schema.Functions), len(schema.Views), schema.Limits, schema.StreamLimits)
	}
	for _, v := range schema.Views {
		status, body := s.sql("SELECT * FROM " + v.Name + " LIMIT 0")
		var got struct{ Columns []sqlmode.Column }
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || len(got.Columns) != len(v.Columns) {
			t.Errorf("%s: %d, %d columns: %.500s", v.Name, status, len(got.Columns), body)
			continue
		}
		for i, c := range got.Columns {
			if c.Name != v.Columns[i].Name || c.Type != v.Columns[i].Type {
				t.Errorf("%s: column %s %s, the schema says %s %s", v.Name, c.Name, c.Type, v.Columns[i].Name, v.Columns[i].Type)
			}
		}
	}
}

func TestSQLBeforeAnythingIsStored(t *testing.T) {
	s := newEmptyStore(t)
	if status, body := s.sql("SELECT count() FROM requests"); status != http.StatusServiceUnavailable || !strings.Contains(body, "nothing has been stored yet") {
		t.Errorf("%d: %s", status, body)
	}
	if status, body := s.sql("SELECT 1"); status != http.StatusOK {
		t.Errorf("without a table: %d: %s", status, body)
	}
}

// Errors are problems whatever form of rows was asked for, and what a page elsewhere
// can send without being asked is not taken.
func TestSQLAcceptAndContentType(t *testing.T) {
	s := newSQLStore(t)
	for _, accept := range []string{"text/csv", "application/x-ndjson", "*/*", ""} {
		status, body, resp := s.postSQL("default", SQLRequest{Query: "SELECT nosuch(1)"}, accept)
		if status != http.StatusBadRequest || resp.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, "nosuch") {
			t.Errorf("Accept %s: %d %s: %s", accept, status, resp.Header.Get("Content-Type"), body)
		}
	}
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"} {
		resp, err := http.Post(s.api.URL+"/api/v1/projects/default/sql", contentType, strings.NewReader(`{"query": "SELECT 1"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("Content-Type %s: %s", contentType, resp.Status)
		}
	}
}
