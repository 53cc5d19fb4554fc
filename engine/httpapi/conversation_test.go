package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/blockcompress"
	"github.com/trackwayhq/trackway/engine/enginetest"
	"github.com/trackwayhq/trackway/internal/golden"
)

// masks hide what differs from run to run.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?m)^Date: .*\r$`), "Date: …\r"},
	{regexp.MustCompile(`(?m)^(X-ClickHouse-Server-Display-Name): .*\r$`), "$1: …\r"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`("elapsed_ns":)"\d+"`), `$1"…"`},
	{regexp.MustCompile(`("elapsed": )[0-9.e-]+`), "$1…"},
	{regexp.MustCompile(`(Query memory limit exceeded: ).*( \(MEMORY)`), "$1…$2"},
	{regexp.MustCompile(`(elapsed )[0-9.]+ ms`), "$1… ms"},
}

// Where a figure in the body was masked, the body's length varies with it.
var (
	varyingLength = regexp.MustCompile(`(?s)\r\n\r\n.*…`)
	contentLength = regexp.MustCompile(`(?m)^Content-Length: \d+\r$`)
)

var tagHeader = regexp.MustCompile(`(?m)^X-ClickHouse-Exception-Tag: ([a-z]{16})\r$`)

// converse sends one raw request and returns all that comes back, in the form
// the golden files have.
func converse(t *testing.T, server *enginetest.Server, request string) string {
	t.Helper()
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", address.Host)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	text := string(answer)
	if tag := tagHeader.FindStringSubmatch(text); tag != nil {
		text = strings.ReplaceAll(text, tag[1], "<tag>")
	}
	for _, mask := range masks {
		text = mask.pattern.ReplaceAllString(text, mask.with)
	}
	if varyingLength.MatchString(text) {
		text = contentLength.ReplaceAllString(text, "Content-Length: …\r")
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// message builds a raw request; Basic auth and Connection: close are added.
func message(server *enginetest.Server, method, target, body string, headers ...string) string {
	credentials := base64.StdEncoding.EncodeToString([]byte(server.User + ":" + server.Password))
	return messageAs(method, target, body, append(headers, "Authorization: Basic "+credentials)...)
}

func messageAs(method, target, body string, headers ...string) string {
	lines := append([]string{method + " " + target + " HTTP/1.1", "Host: localhost", "Connection: close"}, headers...)
	if body != "" {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

func target(pairs ...string) string {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return "/?" + values.Encode()
}

// TestConversations compares whole answers, as bytes on the wire, with golden
// files that were checked against ClickHouse's documentation.
func TestConversations(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE conversation (a UInt32, b String) ENGINE = MergeTree ORDER BY a")
	get := func(pairs ...string) string { return message(server, "GET", target(pairs...), "") }
	post := func(body string, pairs ...string) string { return message(server, "POST", target(pairs...), body) }
	for name, request := range map[string]string{
		"ping":                  messageAs("GET", "/ping", ""),
		"replicas_status":       messageAs("GET", "/replicas_status", ""),
		"root":                  messageAs("GET", "/", ""),
		"unknown path":          messageAs("GET", "/nowhere", ""),
		"unsupported method":    message(server, "DELETE", "/", ""),
		"no password":           messageAs("GET", target("query", "SELECT 1"), ""),
		"wrong password":        messageAs("GET", target("query", "SELECT 1", "user", "default", "password", "no"), ""),
		"headers auth":          messageAs("GET", target("query", "SELECT 1"), "", "X-ClickHouse-User: "+server.User, "X-ClickHouse-Key: "+server.Password),
		"url auth":              messageAs("GET", target("query", "SELECT 1", "user", server.User, "password", server.Password), ""),
		"two kinds of auth":     message(server, "GET", target("query", "SELECT 1", "user", server.User, "password", server.Password), ""),
		"origin":                message(server, "GET", target("query", "SELECT 1"), "", "Origin: http://evil.example"),
		"get":                   get("query", "SELECT 1"),
		"head":                  message(server, "HEAD", target("query", "SELECT 1"), ""),
		"post body":             post("SELECT 1"),
		"query in both":         post("2 AS two", "query", "SELECT 1,"),
		"empty query":           post(""),
		"format clause":         get("query", "SELECT 1 AS x FORMAT JSON"),
		"default_format":        get("query", "SELECT 1 AS x", "default_format", "JSONEachRow"),
		"format header":         message(server, "GET", target("query", "SELECT 1 AS x"), "", "X-ClickHouse-Format: CSVWithNames"),
		"database header":       message(server, "GET", target("query", "SELECT currentDatabase()"), "", "X-ClickHouse-Database: system"),
		"database":              get("query", "SELECT currentDatabase()", "database", "system"),
		"unknown database":      get("query", "SELECT 1", "database", "nowhere"),
		"settings":              get("query", "SELECT getSetting('max_threads'), getSetting('max_block_size')", "max_threads", "3", "max_block_size", "77"),
		"unknown setting":       get("query", "SELECT 1", "no_such_setting", "1"),
		"bad setting":           get("query", "SELECT 1", "max_threads", "many"),
		"parameters":            get("query", "SELECT {a:UInt8} + 1, {s:String}, {l:Array(String)}, {n:Nullable(String)}", "param_a", "41", "param_s", `it's a\ttab`, "param_l", "['x','y']", "param_n", `\N`),
		"missing parameter":     get("query", "SELECT {a:UInt8}"),
		"query_id":              get("query", "SELECT 1", "query_id", "my own id"),
		"get is readonly":       get("query", "INSERT INTO conversation VALUES (1, 'x')"),
		"get may set":           get("query", "SELECT getSetting('max_threads') SETTINGS max_threads = 2"),
		"syntax error":          get("query", "SELEC 1"),
		"syntax error at end":   get("query", "SELECT 1 +"),
		"unknown table":         get("query", "SELECT * FROM nowhere"),
		"unknown function":      get("query", "SELECT nofunction(1)"),
		"type mismatch":         get("query", "SELECT toUInt8('x')"),
		"not implemented":       get("query", "CHECK TABLE system.one"),
		"timeout":               get("query", "SELECT sleepEachRow(1) FROM numbers(3)", "max_execution_time", "0.1", "max_block_size", "1"),
		"memory limit":          get("query", "SELECT groupArray(number) FROM numbers(10000000)", "max_memory_usage", "10000000"),
		"into outfile":          get("query", "SELECT 1 INTO OUTFILE '/tmp/x'"),
		"from infile":           post("INSERT INTO conversation FROM INFILE '/tmp/x' FORMAT CSV"),
		"two statements":        post("SELECT 1; SELECT 2"),
		"insert values":         post("INSERT INTO conversation VALUES (1, 'a;b'), (1 + 1, upper('c'));"),
		"insert format":         post("INSERT INTO conversation FORMAT CSV\n3,x\n4,y\n"),
		"insert by url":         post("5\ta\n6\tb\n", "query", "INSERT INTO conversation (a, b) FORMAT TSV"),
		"insert select":         post("INSERT INTO conversation SELECT number + 7, 'n' FROM numbers(2)"),
		"insert input":          post("9,z", "query", "INSERT INTO conversation SELECT a, upper(b) FROM input('a UInt32, b String') FORMAT CSV"),
		"insert nothing":        post("", "query", "INSERT INTO conversation FORMAT TSV"),
		"insert bad data":       post("x\ty\n", "query", "INSERT INTO conversation FORMAT TSV"),
		"insert unknown table":  post("1\n", "query", "INSERT INTO nowhere FORMAT TSV"),
		"insert unknown format": post("1\n", "query", "INSERT INTO conversation FORMAT Nothing"),
		"ddl":                   post("CREATE TABLE IF NOT EXISTS conversation (a UInt32) ENGINE = Memory"),
		"explain":               get("query", "EXPLAIN AST SELECT 1"),
		"exists":                get("query", "EXISTS TABLE conversation"),
		"show":                  get("query", "SHOW TABLES FROM default"),
		"with totals":           get("query", "SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS ORDER BY k FORMAT JSONCompact"),
		"null format":           get("query", "SELECT 1 FORMAT Null"),
		"wait_end_of_query":     get("query", "SELECT throwIf(number = 3, 'three') FROM numbers(10)", "max_block_size", "1", "buffer_size", "0", "wait_end_of_query", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			golden.Equal(t, filepath.Join("testdata", "conversations", strings.ReplaceAll(name, " ", "_")+".txt"), converse(t, server, request))
		})
	}
	require.Equal(t, "9\t45\n", server.Query(t, "SELECT count(), sum(a) FROM conversation"))
}

// TestBodyEncodings sends rows under every encoding of a request.
func TestBodyEncodings(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE encoded (a UInt32) ENGINE = MergeTree ORDER BY a")
	rows := strings.Repeat("7\n", 100_000)
	for name, encode := range map[string]func(*bytes.Buffer) ([]string, error){
		"plain": func(b *bytes.Buffer) ([]string, error) { return nil, writeAll(b, nil, rows) },
		"gzip": func(b *bytes.Buffer) ([]string, error) {
			return []string{"Content-Encoding: gzip"}, writeAll(gzip.NewWriter(b), nil, rows)
		},
		"zstd": func(b *bytes.Buffer) ([]string, error) {
			encoder, err := zstd.NewWriter(b)
			return []string{"Content-Encoding: zstd"}, writeAll(encoder, err, rows)
		},
		"lz4 blocks": func(b *bytes.Buffer) ([]string, error) {
			return nil, writeAll(blockcompress.NewWriter(b, blockcompress.LZ4), nil, rows)
		},
		"zstd blocks": func(b *bytes.Buffer) ([]string, error) {
			return nil, writeAll(blockcompress.NewWriter(b, blockcompress.ZSTD), nil, rows)
		},
		"gzip of lz4 blocks": func(b *bytes.Buffer) ([]string, error) {
			var blocks bytes.Buffer
			err := writeAll(blockcompress.NewWriter(&blocks, blockcompress.LZ4), nil, rows)
			return []string{"Content-Encoding: gzip"}, writeAll(gzip.NewWriter(b), err, blocks.String())
		},
	} {
		t.Run(name, func(t *testing.T) {
			server.Exec(t, "TRUNCATE TABLE encoded")
			var body bytes.Buffer
			headers, err := encode(&body)
			require.NoError(t, err)
			pairs := []string{"query", "INSERT INTO encoded FORMAT TSV"}
			if strings.Contains(name, "blocks") {
				pairs = append(pairs, "decompress", "1")
			}
			answer := converse(t, server, message(server, "POST", target(pairs...), body.String(), headers...))
			require.Contains(t, answer, "HTTP/1.1 200 OK")
			require.Contains(t, answer, `"written_rows":"100000"`)
			require.Equal(t, "100000\t700000\n", server.Query(t, "SELECT count(), sum(a) FROM encoded"))
		})
	}
}

// writeAll writes text to w and closes it where it is a Closer.
func writeAll(w io.Writer, err error, text string) error {
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	if closer, ok := w.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
