package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/enginetest"
)

// insertBytes is how much an insert streams in the ordinary run.
const insertBytes = 96 << 20

func TestInsertStreamsInBoundedMemory(t *testing.T) {
	streamInserts(t, insertBytes)
}

// streamInserts sends total bytes of Native blocks in one INSERT and again in
// many, and holds the engine's resident memory to its budget.
func streamInserts(t *testing.T, total int) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE streamed (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
	block := nativeBlock(8192)
	blocks := total / len(block)
	base := residentMemory(t, server.PID())

	inserts := 0
	insert := func(blocks int) {
		// The blocks are all alike: without tokens, they would count as repeats.
		inserts++
		body := io.LimitReader(&repeated{block: block}, int64(blocks*len(block)))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+target("query", "INSERT INTO streamed FORMAT Native", "insert_deduplication_token", fmt.Sprint(inserts)), body)
		require.NoError(t, err)
		request.SetBasicAuth(server.User, server.Password)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	}
	insert(blocks)
	whole := peakMemory(t, server.PID())
	for range blocks / 64 {
		insert(64)
	}
	peak := peakMemory(t, server.PID())
	rows := (blocks + blocks/64*64) * 8192
	require.Equal(t, fmt.Sprintln(rows), server.Query(t, "SELECT count() FROM streamed"))
	t.Logf("%d MiB in one INSERT and again in %d: resident %d MiB before, peak %d MiB after the one, %d MiB after all",
		total>>20, blocks/64, base>>20, whole>>20, peak>>20)
	require.Less(t, peak, uint64(1<<30), "the memory budget is 1 GiB")
	require.Less(t, peak-base, uint64(500<<20), "what an insert may hold does not grow with its size")
}

// repeated reads the same block again and again.
type repeated struct {
	block []byte
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.block[r.at:])
	r.at = (r.at + n) % len(r.block)
	return n, nil
}

// nativeBlock is a block of two columns, a UInt64 and b String, of the given rows.
func nativeBlock(rows int) []byte {
	var b bytes.Buffer
	text := func(s string) { b.Write(binary.AppendUvarint(nil, uint64(len(s)))); b.WriteString(s) }
	b.Write(binary.AppendUvarint(nil, 2))
	b.Write(binary.AppendUvarint(nil, uint64(rows)))
	text("a")
	text("UInt64")
	for i := range rows {
		b.Write(binary.LittleEndian.AppendUint64(nil, uint64(i)*0x9e3779b97f4a7c15))
	}
	text("b")
	text("String")
	for i := range rows {
		text(fmt.Sprintf("value %032x", i*7919))
	}
	return b.Bytes()
}

func residentMemory(t *testing.T, pid int) uint64 { return statusOfProcess(t, pid, "VmRSS") }
func peakMemory(t *testing.T, pid int) uint64     { return statusOfProcess(t, pid, "VmHWM") }

func statusOfProcess(t *testing.T, pid int, field string) uint64 {
	t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var kib uint64
		if n, err := fmt.Sscanf(scanner.Text(), field+": %d kB", &kib); err == nil && n == 1 {
			return kib << 10
		}
	}
	t.Fatalf("no %s in the status of process %d", field, pid)
	return 0
}

// TestAnInsertThatBreaksOffIsCancelled sends half a body.
func TestAnInsertThatBreaksOffIsCancelled(t *testing.T) {
	for name, statement := range map[string]string{
		"rows":  "INSERT INTO half FORMAT TSV",
		"input": "INSERT INTO half SELECT a FROM input('a UInt64') FORMAT TSV",
	} {
		t.Run(name, func(t *testing.T) {
			server := enginetest.Start(t)
			server.Exec(t, "CREATE TABLE half (a UInt64) ENGINE = MergeTree ORDER BY a")
			conn := dial(t, server)
			request := messageAs("POST", target("query", statement, "query_id", "half", "user", server.User, "password", server.Password), "", "Content-Length: 1000000")
			_, err := io.WriteString(conn, request+"1\n2\n3\n")
			require.NoError(t, err)
			running := func() string {
				return server.Query(t, "SELECT count() FROM system.processes WHERE query_id = 'half'")
			}
			require.Eventually(t, func() bool { return running() == "1\n" }, 20*time.Second, 10*time.Millisecond)
			require.NoError(t, conn.Close())
			require.Eventually(t, func() bool { return running() == "0\n" }, 20*time.Second, 10*time.Millisecond)
			require.Equal(t, "0\n", server.Query(t, "SELECT count() FROM half"))
		})
	}
}

// TestAnInsertWhoseClientLeavesRunsToItsEnd closes the connection behind the last
// byte of the body, while a slow view still works on it.
func TestAnInsertWhoseClientLeavesRunsToItsEnd(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE whole (a UInt64) ENGINE = MergeTree ORDER BY a")
	server.Exec(t, "CREATE TABLE slow (a UInt64) ENGINE = MergeTree ORDER BY a")
	server.Exec(t, "CREATE MATERIALIZED VIEW slowly TO slow AS SELECT a FROM whole WHERE sleepEachRow(0.1) = 0")
	conn := dial(t, server)
	body := "1\n2\n3\n4\n5\n"
	_, err := io.WriteString(conn, messageAs("POST", target("query", "INSERT INTO whole FORMAT TSV", "query_id", "whole", "user", server.User, "password", server.Password), body))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return server.Query(t, "SELECT count() FROM system.processes WHERE query_id = 'whole'") == "1\n"
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool {
		return server.Query(t, "SELECT (SELECT count() FROM whole), (SELECT count() FROM slow)") == "5\t5\n"
	}, 20*time.Second, 20*time.Millisecond)
}

// TestAReaderThatLeavesStopsItsQuery reads a little of an endless result.
func TestAReaderThatLeavesStopsItsQuery(t *testing.T) {
	server := enginetest.Start(t)
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+target("query", "SELECT number FROM system.numbers", "query_id", "endless"), nil)
	require.NoError(t, err)
	request.SetBasicAuth(server.User, server.Password)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	_, err = io.CopyN(io.Discard, response.Body, 3<<20)
	require.NoError(t, err)
	running := func() string {
		return server.Query(t, "SELECT count() FROM system.processes WHERE query_id = 'endless'")
	}
	require.Equal(t, "1\n", running())
	cancel()
	_ = response.Body.Close() // cancelled
	require.Eventually(t, func() bool { return running() == "0\n" }, 20*time.Second, 10*time.Millisecond)
	require.Less(t, peakMemory(t, server.PID()), uint64(1<<30), "a result is streamed, not gathered")
}

func TestDeduplicationTokens(t *testing.T) {
	server := enginetest.Start(t)
	// Nothing names the window here: it comes with the engine's configuration.
	server.Exec(t, "CREATE TABLE once (day Date, a UInt64) ENGINE = MergeTree PARTITION BY day ORDER BY a")
	server.Exec(t, "CREATE TABLE sums (day Date, s UInt64) ENGINE = SummingMergeTree ORDER BY day")
	server.Exec(t, "CREATE MATERIALIZED VIEW summing TO sums AS SELECT day, sum(a) AS s FROM once GROUP BY day")
	insert := func(token string) {
		response := do(t, server, http.MethodPost, target("query", "INSERT INTO once FORMAT CSV", "insert_deduplication_token", token,
			"deduplicate_blocks_in_dependent_materialized_views", "1"), "2026-11-29,1\n2026-11-30,2\n")
		require.Equal(t, http.StatusOK, response.StatusCode, read(t, response))
	}
	insert("one")
	insert("one")
	require.Equal(t, "2\t3\t3\n", server.Query(t, "SELECT count(), sum(a), (SELECT sum(s) FROM sums) FROM once"))
	insert("two")
	require.Equal(t, "4\t6\t6\n", server.Query(t, "SELECT count(), sum(a), (SELECT sum(s) FROM sums) FROM once"))
}

// TestAnErrorAtTheBeginningOfALargeBody is told to a client that is still sending.
func TestAnErrorAtTheBeginningOfALargeBody(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE strict (a UInt64) ENGINE = MergeTree ORDER BY a")
	body := io.MultiReader(strings.NewReader("not a number\n"), io.LimitReader(&repeated{block: bytes.Repeat([]byte("1\n"), 16<<10)}, 64<<20))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+target("query", "INSERT INTO strict FORMAT TSV"), body)
	require.NoError(t, err)
	request.SetBasicAuth(server.User, server.Password)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, read(t, response), "is not like UInt64")
	require.Equal(t, "0\n", server.Query(t, "SELECT count() FROM strict"))
}

func TestMaxQuerySize(t *testing.T) {
	server := enginetest.Start(t)
	long := "SELECT '" + strings.Repeat("x", 300<<10) + "'"
	response := do(t, server, http.MethodPost, "/", long)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, read(t, response), "Max query size exceeded")
	response = do(t, server, http.MethodPost, target("max_query_size", "400000"), long)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Len(t, read(t, response), 300<<10+1)
}

func dial(t *testing.T, server *enginetest.Server) net.Conn {
	t.Helper()
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", address.Host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
