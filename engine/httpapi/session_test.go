package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/enginetest"
)

func TestSessions(t *testing.T) {
	server := enginetest.Start(t)
	ask := func(method, query string, pairs ...string) (int, string) {
		response := do(t, server, method, target(append(pairs, "query", query)...), "")
		return response.StatusCode, read(t, response)
	}
	post := func(query string, pairs ...string) string {
		status, body := ask(http.MethodPost, query, pairs...)
		require.Equal(t, http.StatusOK, status, body)
		return body
	}

	status, body := ask(http.MethodPost, "SELECT 1", "session_id", "new", "session_check", "1")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, body, "Code: 372.")

	post("CREATE TEMPORARY TABLE mine (n UInt8)", "session_id", "a")
	post("INSERT INTO mine VALUES (7)", "session_id", "a")
	require.Equal(t, "7\n", post("SELECT n FROM mine", "session_id", "a", "session_check", "1"))
	status, _ = ask(http.MethodPost, "SELECT n FROM mine", "session_id", "b")
	require.Equal(t, http.StatusNotFound, status, "a temporary table is its session's own")
	status, _ = ask(http.MethodPost, "SELECT n FROM mine")
	require.Equal(t, http.StatusNotFound, status)

	post("SET max_threads = 5", "session_id", "a")
	const threads = "SELECT getSetting('max_threads')"
	require.Equal(t, "5\n", post(threads, "session_id", "a"), "SET stays in the session")
	require.Equal(t, "3\n", post(threads, "session_id", "a", "max_threads", "3"))
	require.Equal(t, "5\n", post(threads, "session_id", "a"), "a URL parameter does not")
	const memory = "SELECT getSetting('max_block_size')"
	before := post(memory, "session_id", "a")
	require.Equal(t, "99\n", post(memory, "session_id", "a", "max_block_size", "99"))
	require.Equal(t, before, post(memory, "session_id", "a"))

	status, body = ask(http.MethodGet, "INSERT INTO mine VALUES (8)", "session_id", "a")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, body, "Code: 164.")
	require.Equal(t, "", post("INSERT INTO mine VALUES (8)", "session_id", "a"), "and POST may still write")

	post("SELECT 1", "session_id", "a", "close_session", "1")
	status, _ = ask(http.MethodPost, "SELECT 1", "session_id", "a", "session_check", "1")
	require.Equal(t, http.StatusInternalServerError, status)

	post("SELECT 1", "session_id", "short", "session_timeout", "1")
	require.Eventually(t, func() bool {
		status, _ := ask(http.MethodPost, "SELECT 1", "session_id", "short", "session_check", "1", "session_timeout", "1")
		return status != http.StatusOK
	}, 20*time.Second, 1500*time.Millisecond, "a session ends after its timeout")
	status, body = ask(http.MethodPost, "SELECT 1", "session_id", "x", "session_timeout", "3601")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, body, "Code: 374.")
}

func TestASessionIsLockedWhileItRuns(t *testing.T) {
	server := enginetest.Start(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		response, err := http.Post(server.URL+target("session_id", "busy", "query_id", "long", "user", server.User, "password", server.Password,
			"query", "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number))"), "", nil)
		if err == nil {
			_ = response.Body.Close()
		}
	}()
	require.Eventually(t, func() bool {
		return server.Query(t, "SELECT count() FROM system.processes WHERE query_id = 'long'") == "1\n"
	}, 20*time.Second, 20*time.Millisecond)
	locked := do(t, server, http.MethodPost, target("session_id", "busy", "query", "SELECT 1"), "")
	require.Equal(t, "373", locked.Header.Get("X-ClickHouse-Exception-Code"))
	response := do(t, server, http.MethodPost, target("query_id", "long", "query", "SELECT 1"), "")
	require.Equal(t, "216", response.Header.Get("X-ClickHouse-Exception-Code"), "a query id in use")
	require.NotEmpty(t, server.Query(t, "KILL QUERY WHERE query_id = 'long' SYNC"))
	<-done
}
