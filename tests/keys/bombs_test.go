package keys_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	grpcgzip "google.golang.org/grpc/encoding/gzip"
)

// bombBytes is what a bomb inflates to.
const bombBytes = 1 << 30

// zeros compresses bombBytes of the same byte.
func zeros(t *testing.T, compressor func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var out bytes.Buffer
	w := compressor(&out)
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range bombBytes / len(block) {
		_, err := w.Write(block)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// bombs inflate to a gigabyte.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{
		"gzip":    zeros(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"deflate": zeros(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"zstd": zeros(t, func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest))
			require.NoError(t, err)
			return z
		}),
		"x-snappy-framed": zeros(t, func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) }),
		"snappy":          snappy.Encode(nil, bytes.Repeat([]byte(" "), 64<<20)),
	}
	for name, bomb := range all {
		t.Logf("%s: %d bytes", name, len(bomb))
	}
	return all
}

// peak gives the most memory that a process ever had, in bytes.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	require.True(t, found)
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}

// TestBombs throws 64 bodies that inflate to a gigabyte at a gateway at once, in
// every encoding and on every way in.
func TestBombs(t *testing.T) {
	const inProgress = 64 << 20
	g := startGateway(t, nowhere(t), append(withKeys("shop", shopKey),
		"    authenticator: project_auth\n    usage_file", fmt.Sprintf("    authenticator: project_auth\n    max_in_progress_bytes: %d\n    max_decoded_bytes: %d\n    usage_file", inProgress, inProgress/2))...)
	header, value := bearer(shopKey)
	idle := peak(t, g.PID())
	all := bombs(t)

	for name, bomb := range all {
		a := post(t, "http://"+g.http+"/v1/traces", "application/json", bytes.NewReader(bomb), header, value, "Content-Encoding", name)
		assert.Equal(t, 413, a.status, "%s over OTLP: %s", name, a.text)
		assert.Contains(t, a.text, `"limit":"max_request_bytes","max":20971520`, name)
	}
	for _, name := range []string{"gzip", "zstd"} {
		a := post(t, "http://"+g.ndjson+"/v1/ingest", "application/x-ndjson", bytes.NewReader(all[name]), header, value, "Content-Encoding", name)
		assert.Equal(t, 413, a.status, "%s over NDJSON: %s", name, a.text)
		assert.Contains(t, a.text, "max_request_bytes", name)
	}
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().Resource().Attributes().PutStr("x", strings.Repeat(" ", 64<<20))
	bomb := ptraceotlp.NewExportRequestFromTraces(td)
	a := callGRPC(t, g, bomb, header, value, grpc.UseCompressor(grpcgzip.Name))
	assert.Equal(t, 429, a.status, a.text)
	assert.Empty(t, a.retryAfter, "no delay: it would not fit the next time either")

	// A bomb within a bomb is inflated once, and what comes out is no request.
	var nested bytes.Buffer
	z := gzip.NewWriter(&nested)
	_, err := z.Write(all["gzip"])
	require.NoError(t, err)
	require.NoError(t, z.Close())
	a = post(t, "http://"+g.http+"/v1/traces", "application/x-protobuf", &nested, header, value, "Content-Encoding", "gzip")
	assert.Equal(t, 400, a.status, a.text)
	a = post(t, "http://"+g.http+"/v1/traces", "application/json", bytes.NewReader(all["gzip"]), header, value, "Content-Encoding", "gzip, gzip")
	assert.Equal(t, 415, a.status, a.text)

	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for i := range 64 {
		name := []string{"gzip", "deflate", "zstd", "x-snappy-framed", "snappy"}[i%5]
		wg.Go(func() {
			a := post(t, "http://"+g.http+"/v1/traces", "application/json", bytes.NewReader(all[name]), header, value, "Content-Encoding", name)
			mu.Lock()
			defer mu.Unlock()
			seen[a.status]++
		})
	}
	wg.Wait()
	t.Logf("64 bombs at once: %v; peak of the collector %d MiB, %d MiB before", seen, peak(t, g.PID())>>20, idle>>20)
	assert.Equal(t, 64, seen[413]+seen[429], "statuses %v", seen)
	assert.Less(t, peak(t, g.PID())-idle, int64(5*inProgress), "memory follows max_in_progress_bytes")

	a = sendNDJSON(t, g, "after", header, value)
	require.Equal(t, 200, a.status, a.text)
	g.awaitStored(t, "after", "shop\t1")
}

// TestSlowBodies sends beginnings of bodies and nothing more: each is ended, and
// others are served meanwhile.
func TestSlowBodies(t *testing.T) {
	g := startGateway(t, nowhere(t), append(withKeys("shop", shopKey),
		"    authenticator: project_auth\n    usage_file", "    authenticator: project_auth\n    receive_timeout: 1s\n    usage_file")...)
	header, value := bearer(shopKey)
	type slow struct {
		conn net.Conn
		addr string
	}
	var all []slow
	for _, addr := range []string{g.http, g.ndjson} {
		for range 20 {
			conn, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			path := "/v1/traces"
			if addr == g.ndjson {
				path = "/v1/ingest"
			}
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%s: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path, header, value)
			require.NoError(t, err)
			all = append(all, slow{conn, addr})
		}
	}
	for name, send := range senders {
		require.Equal(t, 200, send(t, g, "meanwhile", header, value).status, name)
	}
	for _, s := range all {
		require.NoError(t, s.conn.SetReadDeadline(time.Now().Add(patience)))
		text, err := io.ReadAll(s.conn)
		require.NoError(t, err, "the server ends the connection")
		assert.Contains(t, string(text), "408 Request Timeout")
		assert.Contains(t, string(text), "receive_timeout")
	}
}
