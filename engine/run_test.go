package engine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine"
	"github.com/trackwayhq/trackway/engine/enginetest"
	roottest "github.com/trackwayhq/trackway/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		options engine.Options
		want    string
	}{
		"no data":             {engine.Options{Library: "x"}, "--data"},
		"no library":          {engine.Options{Data: t.TempDir()}, "make engine-library"},
		"missing library":     {engine.Options{Data: t.TempDir(), Library: "/nowhere/libchdb.so", Listen: "127.0.0.1:0"}, "engine library /nowhere/libchdb.so does not exist: run `make engine-library`"},
		"little memory":       {engine.Options{Data: t.TempDir(), Library: "x", Memory: 1 << 20}, "at least 1073741824 (1 GiB)"},
		"every interface":     {engine.Options{Data: t.TempDir(), Library: "x", Listen: ":8123"}, "--allow-remote"},
		"remote address":      {engine.Options{Data: t.TempDir(), Library: "x", Listen: "192.0.2.1:8123"}, "--allow-remote"},
		"remote, no password": {engine.Options{Data: t.TempDir(), Library: "x", Listen: "192.0.2.1:8123", AllowRemote: true}, "without a password: set TRACKWAY_ENGINE_PASSWORD"},
		"no port":             {engine.Options{Data: t.TempDir(), Library: "x", Listen: "127.0.0.1"}, "want host:port"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, engine.Run(context.Background(), test.options), test.want)
		})
	}
}

func TestConfigurationOfARunningEngine(t *testing.T) {
	t.Setenv("TZ", "America/New_York")
	server := enginetest.Start(t)

	require.Equal(t, "UTC\n", server.Query(t, "SELECT timezone()"), "whatever TZ the process was started with")
	require.Equal(t, "fsync_after_insert\t1\nfsync_part_directory\t1\nmin_compressed_bytes_to_fsync_after_merge\t1\nmin_rows_to_fsync_after_merge\t1\nnon_replicated_deduplication_window\t10000\nold_parts_lifetime\t30\n",
		server.Query(t, "SELECT name, value FROM system.merge_tree_settings WHERE name IN ('fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge', 'min_compressed_bytes_to_fsync_after_merge', 'non_replicated_deduplication_window', 'old_parts_lifetime') ORDER BY name"))
	require.Equal(t, fmt.Sprintln((1<<30)/10*9), server.Query(t, "SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'"))
	require.Equal(t, fmt.Sprintln((1<<30)/16), server.Query(t, "SELECT value FROM system.server_settings WHERE name = 'mark_cache_size'"))
	require.Empty(t, server.Query(t, "SELECT name, value FROM system.server_settings WHERE name LIKE '%\\_cache\\_size' AND toUInt64(value) > 67108864"),
		"a cache that keeps a server's default can outgrow the budget")
	require.Equal(t, "fatal\n", server.Query(t, "SELECT value FROM system.server_settings WHERE name = 'logger.level'"))
	require.Equal(t, fmt.Sprintln((1<<30)/10*6), server.Query(t, "SELECT getSetting('max_memory_usage')"))
	server.Exec(t, "SYSTEM FLUSH LOGS")
	require.Empty(t, server.Query(t, "SELECT name FROM system.tables WHERE database = 'system' AND name LIKE '%\\_log'"))

	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", server.PID()))
	require.NoError(t, err)
	require.NotEmpty(t, tasks)
	for _, task := range tasks {
		stat, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		if strings.Contains(string(stat), "(MemoryWorker)") {
			continue // the engine itself raises the thread that gives memory back, as root
		}
		// Behind the command's closing bracket, nice is the 17th field.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		require.Equal(t, "19", fields[16], "nice of %s", task)
	}
}

func TestMemoryBudgetEndsAQueryNotTheEngine(t *testing.T) {
	server := enginetest.Start(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/?max_memory_usage=0", strings.NewReader("SELECT length(groupArray(number)) FROM numbers(400000000)"))
	require.NoError(t, err)
	request.SetBasicAuth(server.User, server.Password)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Equal(t, "241", response.Header.Get("X-ClickHouse-Exception-Code"), "%s", body)
	require.Equal(t, "1\n", server.Query(t, "SELECT 1"))
}

func TestUnixSocket(t *testing.T) {
	server := enginetest.Start(t)
	info, err := os.Stat(filepath.Join(server.Dir, "run", "engine.sock"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(server.Dir, "run", "engine.sock"))
	}}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://engine/?query=SELECT+42", nil)
	require.NoError(t, err)
	request.SetBasicAuth(server.User, server.Password)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "42\n", string(body))
}

func TestAPortInUseLeavesTheStoreClean(t *testing.T) {
	server := enginetest.Start(t)
	require.NoError(t, server.Stop())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	library, err := roottest.Library()
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(program, "--data", server.Dir, "--listen", taken.Addr().String(), "--library", library)
	command.Env = append(os.Environ(), "TRACKWAY_ENGINETEST_RUN=1")
	output, err := command.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "choose another port with --listen")
	server.Restart(t)
	require.Contains(t, server.Log(), "closed cleanly")
}

func TestALongPathLeavesTCP(t *testing.T) {
	server := enginetest.Start(t, enginetest.WithDir(filepath.Join(t.TempDir(), strings.Repeat("long", 30))))
	require.Empty(t, server.Socket)
	require.Equal(t, "1\n", server.Query(t, "SELECT 1"))
}

// TestSignalsStopTheEngineCleanly stops it while one query reads for ever and one
// insert is being written: the reader is cancelled, the writer finishes.
func TestSignalsStopTheEngineCleanly(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			server := enginetest.Start(t)
			server.Exec(t, "CREATE TABLE kept (a UInt64) ENGINE = MergeTree ORDER BY a")
			server.Exec(t, "CREATE MATERIALIZED VIEW slowly ENGINE = MergeTree ORDER BY a AS SELECT a FROM kept WHERE sleepEachRow(0.2) = 0")
			reader, writer := send(t, server, "reader", "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number))"), send(t, server, "writer", "INSERT INTO kept VALUES (1), (2), (3)")
			require.Eventually(t, func() bool {
				return server.Query(t, "SELECT count() FROM system.processes WHERE query_id IN ('reader', 'writer')") == "2\n"
			}, 30*time.Second, 5*time.Millisecond)
			require.NoError(t, syscall.Kill(server.PID(), signal))
			require.Equal(t, http.StatusOK, <-writer)
			require.Equal(t, http.StatusInternalServerError, <-reader)
			require.NoError(t, server.Stop())

			server.Restart(t)
			require.Contains(t, server.Log(), "closed cleanly")
			require.Equal(t, "3\t3\n", server.Query(t, "SELECT (SELECT count() FROM kept), (SELECT count() FROM slowly)"))
		})
	}
}

// send runs a statement beside the test and delivers the status of its answer.
func send(t *testing.T, server *enginetest.Server, id, statement string) <-chan int {
	status := make(chan int, 1)
	go func() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/?query_id="+id, strings.NewReader(statement))
		if err != nil {
			status <- 0
			return
		}
		request.SetBasicAuth(server.User, server.Password)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			status <- 0
			return
		}
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	return status
}
