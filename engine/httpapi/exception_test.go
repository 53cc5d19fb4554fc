package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/blockcompress"
	"github.com/trackwayhq/trackway/engine/enginetest"
)

// failsLate gives more than the MiB that is held back, then fails.
const failsLate = "SELECT number, throwIf(number = 2000000, 'late') FROM numbers(4000000) FORMAT TSV"

// exceptionBlock is the frame that ends a broken result, as ClickHouse's HTTP
// interface documents it since 25.11.
var exceptionBlock = regexp.MustCompile(`(?s)\r\n__exception__\r\n([a-z]{16})\r\n(.*\n)(\d+) ([a-z]{16})\r\n__exception__\r\n$`)

func TestExceptionBehindTheFirstRows(t *testing.T) {
	server := enginetest.Start(t)
	for name, test := range map[string]struct {
		pairs  []string
		accept string
		decode func([]byte) (io.Reader, error)
	}{
		"plain":      {decode: func(b []byte) (io.Reader, error) { return bytes.NewReader(b), nil }},
		"gzip":       {pairs: []string{"enable_http_compression", "1"}, accept: "gzip", decode: func(b []byte) (io.Reader, error) { return gzip.NewReader(bytes.NewReader(b)) }},
		"compress=1": {pairs: []string{"compress", "1"}, decode: func(b []byte) (io.Reader, error) { return blockcompress.NewReader(bytes.NewReader(b)), nil }},
	} {
		t.Run(name, func(t *testing.T) {
			response := do(t, server, http.MethodPost, target(test.pairs...), failsLate, "Accept-Encoding", test.accept)
			require.Equal(t, http.StatusOK, response.StatusCode)
			body, err := io.ReadAll(response.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the response must not end properly")
			reader, err := test.decode(body)
			require.NoError(t, err)
			text, err := io.ReadAll(reader)
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // gzip ends early too
				require.NoError(t, err)
			}
			require.True(t, bytes.HasPrefix(text, []byte("0\t0\n1\t0\n")))
			frame := exceptionBlock.FindSubmatch(text)
			require.NotNil(t, frame, "no exception block at the end of the rows")
			tag := response.Header.Get("X-ClickHouse-Exception-Tag")
			require.Equal(t, tag, string(frame[1]))
			require.Equal(t, tag, string(frame[4]))
			require.Equal(t, fmt.Sprint(len(frame[2])), string(frame[3]))
			require.Regexp(t, `^Code: 395\. DB::Exception: late.*\(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO\) \(version 26\.`, string(frame[2]))
		})
	}
}

func TestErrorBodiesAreCompressedAsTheResultWouldHaveBeen(t *testing.T) {
	server := enginetest.Start(t)
	response := do(t, server, http.MethodPost, target("compress", "1"), "SELECT * FROM nowhere")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	text, err := io.ReadAll(blockcompress.NewReader(response.Body))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "Code: 60. DB::Exception: "), "%s", text)

	response = do(t, server, http.MethodPost, target("enable_http_compression", "1"), "SELECT * FROM nowhere", "Accept-Encoding", "gzip")
	require.Empty(t, response.Header.Get("Content-Encoding"))
	require.Contains(t, read(t, response), "UNKNOWN_TABLE")
}

func TestWaitEndOfQueryHoldsBackMoreThanMemory(t *testing.T) {
	server := enginetest.Start(t)
	response := do(t, server, http.MethodPost, target("wait_end_of_query", "1", "buffer_size", "1000"), failsLate)
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Contains(t, read(t, response), "late")

	response = do(t, server, http.MethodPost, target("wait_end_of_query", "1", "buffer_size", "1000"), "SELECT number FROM numbers(1000000)")
	require.Contains(t, response.Header.Get("X-ClickHouse-Summary"), `"result_rows":"1000000"`)
	lines := strings.Split(strings.TrimSpace(read(t, response)), "\n")
	require.Len(t, lines, 1_000_000)
	for i, line := range lines {
		if line != fmt.Sprint(i) {
			t.Fatalf("row %d: got %s", i, line)
		}
	}
}

// do sends a request with the server's credentials; headers are pairs.
func do(t *testing.T, server *enginetest.Server, method, target, body string, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+target, strings.NewReader(body))
	require.NoError(t, err)
	request.SetBasicAuth(server.User, server.Password)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}
