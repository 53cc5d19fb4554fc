package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/sqltext"
)

func TestRunning(t *testing.T) {
	running := newRunning(2)
	ctx, cancel := context.WithCancel(t.Context())
	reader, refused := running.admit("reader", cancel)
	require.Nil(t, refused)
	_, refused = running.admit("reader", func() {})
	require.Equal(t, codeQueryIDRunning, refused.Code)
	_, refused = running.admit("writer", func() { t.Error("a writer was cancelled") })
	require.Nil(t, refused)
	_, refused = running.admit("third", func() {})
	require.Equal(t, "Code: 202. DB::Exception: Too many simultaneous queries. Maximum: 2. (TOO_MANY_SIMULTANEOUS_QUERIES)", refused.Message)
	running.remove("writer")
	late, refused := running.admit("third", func() {})
	require.Nil(t, refused)

	running.reads(reader)
	running.stop()
	require.Error(t, ctx.Err(), "stopping cancels readers")
	lateCancelled := false
	late.cancel = func() { lateCancelled = true }
	running.reads(late)
	require.True(t, lateCancelled, "also those that turn out to be readers later")
	_, refused = running.admit("fourth", func() {})
	require.Equal(t, codeAborted, refused.Code)
}

func TestChooseEncoding(t *testing.T) {
	for accept, want := range map[string]string{
		"": "", "identity": "", "gzip": "gzip", "GZIP": "gzip", "deflate, gzip;q=0.5": "gzip", "gzip;q=0, zstd": "zstd",
		"br, gzip": "br", "lz4": "lz4", "xz": "",
	} {
		require.Equal(t, want, chooseEncoding(accept), accept)
	}
}

func TestContentType(t *testing.T) {
	for format, want := range map[string]string{
		"JSON": "application/json; charset=UTF-8", "jsoneachrow": "application/x-ndjson; charset=UTF-8", "CSV": "text/csv; charset=UTF-8; header=absent",
		"TSVWithNames": "text/tab-separated-values; charset=UTF-8", "Native": "application/octet-stream", "Pretty": "text/plain; charset=UTF-8",
	} {
		require.Equal(t, want, contentType(format), format)
	}
}

func TestReadRequest(t *testing.T) {
	read := func(target string) (*request, error) {
		return readRequest(httptest.NewRequest(http.MethodPost, target, nil))
	}
	got, err := read("/?query=SELECT+1&b=2&a=1&param_x=y&compress=1&client_protocol_version=54460&wait_end_of_query=0")
	require.NoError(t, err)
	require.Equal(t, []setting{{"a", "1"}, {"b", "2"}}, got.settings)
	require.Equal(t, "y", got.params["x"])
	require.True(t, got.compress)
	require.False(t, got.waitEndOfQuery)
	require.EqualValues(t, 54460, got.protocolVersion)
	require.Len(t, got.queryID, 36)
	for _, target := range []string{"/?client_protocol_version=new", "/?buffer_size=-1", "/?session_timeout=x", "/?max_query_size=1k", "/?a=%zz"} {
		_, err := read(target)
		require.Error(t, err, target)
	}
}

func TestSplitTypes(t *testing.T) {
	require.Equal(t, []string{"UInt8", "Map(String, UInt8)", "Decimal(9, 2)"}, splitTypes("UInt8, Map(String, UInt8),Decimal(9, 2)"))
	require.Empty(t, splitTypes(""))
}

func TestQueryIDsAreRewrittenWhereTheyAreAskedFor(t *testing.T) {
	for text, want := range map[string]string{
		"SHOW PROCESSLIST FORMAT JSON":                  "SELECT * FROM " + processes + " ORDER BY elapsed DESC FORMAT JSON",
		"KILL QUERY WHERE query_id = 'a'":               "KILL QUERY WHERE " + queryIDOfRow + " = 'a'",
		"SELECT query_id FROM system.processes":         "SELECT query_id FROM " + processes,
		"EXPLAIN AST SHOW PROCESSLIST":                  "EXPLAIN AST SHOW PROCESSLIST",
		"SELECT show processlist FROM t":                "SELECT show processlist FROM t",
		"SELECT 'SHOW PROCESSLIST', 'system.processes'": "SELECT 'SHOW PROCESSLIST', 'system.processes'",
	} {
		statement, err := sqltext.Parse(text)
		require.NoError(t, err)
		rewriteQueryID(&statement)
		require.Equal(t, want, statement.Text)
	}
}
