package clickhousehttp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// patience bounds waiting for something that must happen.
const patience = 60 * time.Second

// request is a POST with credentials and parameters from alternating names and
// values.
func request(ctx context.Context, t *testing.T, server harness.ClickHouse, body io.Reader, params ...string) *http.Request {
	t.Helper()
	query := url.Values{}
	for i := 0; i < len(params); i += 2 {
		query.Set(params[i], params[i+1])
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL()+"/?"+query.Encode(), body)
	require.NoError(t, err)
	req.SetBasicAuth(server.User, server.Password)
	return req
}

// runningQueries counts running queries that contain a marker.
func runningQueries(t *testing.T, engine *harness.Engine, marker string) string {
	t.Helper()
	return engine.Query(t, "SELECT count() FROM system.processes WHERE query LIKE '%"+marker+"%' AND query NOT LIKE '%system.processes%'")
}

// TestReaderGoesAway: a reader that closes its connection ends its query.
func TestReaderGoesAway(t *testing.T) {
	engine := harness.StartEngine(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := client.Do(request(ctx, t, engine.ClickHouse, strings.NewReader("SELECT number AS reader_marker FROM system.numbers")))
	require.NoError(t, err)
	_, err = bufio.NewReader(res.Body).ReadString('\n')
	require.NoError(t, err, "rows are streamed, not gathered")
	require.Equal(t, "1", runningQueries(t, engine, "reader_marker"))
	cancel()
	_ = res.Body.Close()
	require.Eventually(t, func() bool { return runningQueries(t, engine, "reader_marker") == "0" }, patience, 20*time.Millisecond)
}

// TestInsertRunsOn: an insert whose body has arrived runs to its end although
// its sender has gone.
func TestInsertRunsOn(t *testing.T) {
	engine := harness.StartEngine(t)
	engine.Query(t, "CREATE TABLE slow (n UInt64) ENGINE = MergeTree ORDER BY n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		body := "INSERT INTO slow SELECT number + sleepEachRow(0.001) FROM numbers(1500) SETTINGS max_block_size = 100, function_sleep_max_microseconds_per_block = 100000000"
		res, err := client.Do(request(ctx, t, engine.ClickHouse, strings.NewReader(body)))
		if err == nil {
			_ = res.Body.Close()
		}
	}()
	require.Eventually(t, func() bool { return runningQueries(t, engine, "INSERT INTO slow") == "1" }, patience, 5*time.Millisecond)
	cancel()
	<-sent
	require.Eventually(t, func() bool { return engine.Query(t, "SELECT count() FROM slow") == "1500" }, patience, 20*time.Millisecond)
}

// TestCutInsert: of an insert whose body breaks off nothing that was not whole
// is stored, and the engine goes on.
func TestCutInsert(t *testing.T) {
	engine := harness.StartEngine(t)
	engine.Query(t, "CREATE TABLE cut (n UInt64) ENGINE = MergeTree ORDER BY n")
	conn, err := net.Dial("tcp", engine.Addr)
	require.NoError(t, err)
	req := request(t.Context(), t, engine.ClickHouse, nil, "query", "INSERT INTO cut FORMAT TabSeparated")
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Length: 1000\r\n\r\n1\n2\n3\n",
		req.URL.RequestURI(), engine.Addr, req.Header.Get("Authorization"))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return runningQueries(t, engine, "INSERT INTO cut") == "0" }, patience, 20*time.Millisecond)
	assert.Equal(t, "0", engine.Query(t, "SELECT count() FROM cut"))
	engine.Query(t, "INSERT INTO cut VALUES (7)")
	assert.Equal(t, "7", engine.Query(t, "SELECT n FROM cut"))
}

// TestQueryIDs: KILL QUERY finds a query by its id, and an id is taken only once
// at a time.
func TestQueryIDs(t *testing.T) {
	engine := harness.StartEngine(t)
	answer := make(chan string, 1)
	go func() {
		res, err := client.Do(request(t.Context(), t, engine.ClickHouse,
			strings.NewReader("SELECT sum(cityHash64(number)) AS id_marker FROM numbers(1000000000000)"), "query_id", "it's me"))
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(res.Body)
		answer <- fmt.Sprint(res.StatusCode, " ", res.Header.Get("X-ClickHouse-Exception-Code"), " ", string(text))
	}()
	require.Eventually(t, func() bool { return runningQueries(t, engine, "id_marker") == "1" }, patience, 5*time.Millisecond)

	res, err := client.Do(request(t.Context(), t, engine.ClickHouse, strings.NewReader("SELECT 1"), "query_id", "it's me"))
	require.NoError(t, err)
	_ = res.Body.Close()
	assert.Equal(t, "216", res.Header.Get("X-ClickHouse-Exception-Code"), "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING")

	engine.Query(t, `KILL QUERY WHERE query_id = 'it\'s me' SYNC`)
	select {
	case text := <-answer:
		assert.Regexp(t, `^500 394 Code: 394\. DB::Exception: .*QUERY_WAS_CANCELLED`, text)
	case <-time.After(patience):
		t.Fatal("the killed query did not answer")
	}
}

// TestSessionIsLocked: one query at a time in a session.
func TestSessionIsLocked(t *testing.T) {
	engine := harness.StartEngine(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, err := client.Do(request(ctx, t, engine.ClickHouse,
			strings.NewReader("SELECT sum(cityHash64(number)) AS session_marker FROM numbers(1000000000000)"), "session_id", "s"))
		if err == nil {
			_ = res.Body.Close()
		}
	}()
	require.Eventually(t, func() bool { return runningQueries(t, engine, "session_marker") == "1" }, patience, 5*time.Millisecond)
	res, err := client.Do(request(t.Context(), t, engine.ClickHouse, strings.NewReader("SELECT 1"), "session_id", "s"))
	require.NoError(t, err)
	_ = res.Body.Close()
	assert.Equal(t, "373", res.Header.Get("X-ClickHouse-Exception-Code"), "SESSION_IS_LOCKED")
	cancel()
	<-done
	require.Eventually(t, func() bool {
		res, err := client.Do(request(t.Context(), t, engine.ClickHouse, strings.NewReader("SELECT 1"), "session_id", "s"))
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, patience, 20*time.Millisecond, "the session is free again after its query was cancelled")
}

// TestSummary: the header counts what was read and written.
func TestSummary(t *testing.T) {
	engine := harness.StartEngine(t)
	engine.Query(t, "CREATE TABLE s (n UInt64) ENGINE = MergeTree ORDER BY n")
	summary := func(sql string) map[string]string {
		res, err := client.Do(request(t.Context(), t, engine.ClickHouse, strings.NewReader(sql), "wait_end_of_query", "1"))
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		require.Equal(t, http.StatusOK, res.StatusCode)
		var s map[string]string
		require.NoError(t, json.Unmarshal([]byte(res.Header.Get("X-ClickHouse-Summary")), &s))
		return s
	}
	insert := summary("INSERT INTO s SELECT number FROM numbers(1000)")
	assert.Equal(t, "1000", insert["written_rows"])
	assert.Equal(t, "8000", insert["written_bytes"])
	read := summary("SELECT sum(n) FROM s")
	assert.Equal(t, "1000", read["read_rows"])
	assert.Equal(t, "8000", read["read_bytes"])
	for _, key := range []string{"read_rows", "read_bytes", "written_rows", "written_bytes", "total_rows_to_read", "result_rows", "result_bytes", "elapsed_ns"} {
		assert.Contains(t, read, key)
	}
}

// TestUnixSocket: the same interface is on a socket in the data directory.
func TestUnixSocket(t *testing.T) {
	engine := harness.StartEngine(t)
	socket := filepath.Join(engine.Data, "run", "engine.sock")
	over := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	res, err := over.Do(request(t.Context(), t, engine.ClickHouse, strings.NewReader("SELECT 40 + 2")))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, "42\n", string(text))
}

// TestRefusals: what the engine must not do, said in a sentence.
func TestRefusals(t *testing.T) {
	running := harness.StartEngine(t)
	for _, c := range []struct {
		name  string
		args  []string
		wants string
	}{
		{"beyond loopback", []string{"--data", t.TempDir(), "--listen", "0.0.0.0:0"}, "--allow-remote"},
		{"data directory in use", []string{"--data", running.Data, "--listen", "127.0.0.1:0"}, "in use"},
		{"no library", []string{"--data", t.TempDir(), "--listen", "127.0.0.1:0", "--library", "/nowhere/libchdb.so"}, "/nowhere/libchdb.so"},
		{"port taken", []string{"--data", t.TempDir(), "--listen", running.Addr}, "in use"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"engine"}, c.args...)
			if c.name != "no library" {
				args = append(args, "--library", harness.Library(t))
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			command := exec.CommandContext(ctx, harness.Trackway(t), args...)
			command.Env = append(command.Environ(), "TRACKWAY_ENGINE_PASSWORD=x")
			out, err := command.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAsf(t, err, &exit, "it must not start: %s", out)
			assert.Contains(t, string(out), c.wants)
			assert.NotContains(t, string(out), "goroutine ", "a sentence, not a panic")
		})
	}
	assert.Equal(t, "1", running.Query(t, "SELECT 1"), "the running engine is undisturbed")
}

// TestRestart: what was written is there after a clean stop and a new start, and
// system log tables are not.
func TestRestart(t *testing.T) {
	first := harness.StartEngine(t)
	first.Query(t, "CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n")
	first.Query(t, "INSERT INTO kept SELECT number FROM numbers(1000)")
	first.Stop(t)
	second := harness.StartEngineAt(t, first.Data)
	assert.Equal(t, "1000\t499500", second.Query(t, "SELECT count(), sum(n) FROM kept"))
	assert.Equal(t, "0", second.Query(t, "SELECT count() FROM system.tables WHERE database = 'system' AND name LIKE '%\\_log'"), "system log tables are off")
}

// TestMemoryBudget: a query over the budget gets ClickHouse's own error, others
// go on.
func TestMemoryBudget(t *testing.T) {
	engine := harness.StartEngine(t, "--memory", "1073741824")
	res, err := client.Do(request(t.Context(), t, engine.ClickHouse, strings.NewReader("SELECT uniqExact(number) FROM numbers(300000000)")))
	require.NoError(t, err)
	text, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	assert.Equal(t, "241", res.Header.Get("X-ClickHouse-Exception-Code"), "MEMORY_LIMIT_EXCEEDED: %.500s", text)
	assert.Less(t, harness.RSS(t, engine.PID()), int64(1536<<20))
	assert.Equal(t, "1", engine.Query(t, "SELECT 1"))
}
