package up

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen; it is not a measure.
const patience = 30 * time.Second

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"4317": "127.0.0.1:4317", "0": "127.0.0.1:0", ":80": "127.0.0.1:80", "0.0.0.0:8080": "0.0.0.0:8080", "[::1]:1": "[::1]:1",
	} {
		got, err := ParseAddress(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{"", "x", "70000", "host:", "a:b:c"} {
		_, err := ParseAddress(in)
		assert.Error(t, err, in)
	}
}

func TestSettleTakesFreePorts(t *testing.T) {
	var a Addresses
	for _, e := range a.endpoints() {
		*e.addr = "127.0.0.1:0"
	}
	require.NoError(t, a.settle(t.Context()))
	seen := map[string]bool{}
	for _, e := range a.endpoints() {
		assert.NotEqual(t, "127.0.0.1:0", *e.addr)
		assert.False(t, seen[*e.addr], "%s got the port of another", e.flag)
		seen[*e.addr] = true
	}
}

func TestSettleNamesTheFlagOfATakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	a := Addresses{}
	for _, e := range a.endpoints() {
		*e.addr = "127.0.0.1:0"
	}
	a.NDJSON = taken.Addr().String()
	err = a.settle(t.Context())
	require.ErrorContains(t, err, taken.Addr().String()+" for NDJSON is in use")
	require.ErrorContains(t, err, "--ndjson")
}

func TestDataDirIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	d, err := openDataDir(path)
	require.NoError(t, err)
	assert.True(t, d.fresh)
	_, err = openDataDir(path)
	require.ErrorContains(t, err, "in use by another `trackway up`")
	require.ErrorContains(t, err, "--data")
	d.close()
	d, err = openDataDir(path)
	require.NoError(t, err, "the lock goes with its holder")
	d.close()
}

func TestForeignDirectoryIsRefusedUntouched(t *testing.T) {
	path := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(path, "passwd"), nil, 0o600))
	_, err := openDataDir(path)
	require.ErrorContains(t, err, path+" is not empty and holds no Trackway data: choose an empty or new directory with --data")
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestOptionsAreChecked(t *testing.T) {
	require.NoError(t, Options{}.Validate())
	require.NoError(t, Options{Memory: "2147483648", DemoRate: 2}.Validate())
	for want, o := range map[string]Options{
		"--memory: want a number of bytes, such as 2147483648, got 2GB": {Memory: "2GB"},
		"--memory: want a number of bytes, such as 2147483648, got -5":  {Memory: "-5"},
		"--memory: want at least 1073741824 bytes (1 GiB), got 5":       {Memory: "5"},
		"--demo: want 0 to 100000 requests a second, got -3":            {DemoRate: -3},
		"--demo: want 0 to 100000 requests a second, got NaN":           {DemoRate: math.NaN()},
		"--demo: want 0 to 100000 requests a second, got +Inf":          {DemoRate: math.Inf(1)},
	} {
		require.EqualError(t, o.Validate(), want)
	}
}

func TestPasswordIsMadeOnceAndPrivate(t *testing.T) {
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.close()
	first, err := d.secret(PasswordFile, "the password")
	require.NoError(t, err)
	assert.Len(t, first, 48)
	again, err := d.secret(PasswordFile, "the password")
	require.NoError(t, err)
	assert.Equal(t, first, again)
	info, err := os.Stat(d.join(PasswordFile))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestLeftoversAreWaitedFor(t *testing.T) {
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.close()
	old := exec.Command("sleep", "60")
	require.NoError(t, old.Start())
	b := &board{path: d.join(StatusFile)}
	require.NoError(t, b.child("engine", func(s *ChildStatus) {
		s.PID, s.StartTime = old.Process.Pid, processStartTime(old.Process.Pid)
	}))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, waitForLeftovers(cancelled, d), context.Canceled, "it waits for the engine of the earlier run")
	require.NoError(t, old.Process.Kill())
	require.Error(t, old.Wait())
	require.NoError(t, waitForLeftovers(t.Context(), d))
}

func TestLocateSaysWhatIsMissing(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	_, err := findCollector("", empty)
	require.ErrorContains(t, err, "make collector")
	require.ErrorContains(t, err, "--collector")
	_, err = findCollector("/no/such/program", empty)
	require.ErrorContains(t, err, "/no/such/program")
	_, err = findConfigDir("", empty)
	require.ErrorContains(t, err, "--config-dir")
	_, err = findConfigDir(empty, empty)
	require.ErrorContains(t, err, "standalone.yaml is missing")
}

func TestMissingProcessorFeatures(t *testing.T) {
	require.NoError(t, missingFeatures([]cpuFeature{{"SSE4.2", true}}))
	err := missingFeatures([]cpuFeature{{"SSE4.2", false}, {"POPCNT", false}})
	require.ErrorContains(t, err, "lacks SSE4.2, POPCNT")
}

// newStack is a stack whose children are shell scripts.
func newStack(t *testing.T, out io.Writer) *stack {
	t.Helper()
	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(d.close)
	s := &stack{
		options: Options{Log: out, Verbose: true}, data: d, env: os.Environ(), spawn: newSpawner(),
		log: slog.New(slog.NewTextHandler(out, nil)), board: &board{path: d.join(StatusFile)},
	}
	t.Cleanup(s.spawn.stop)
	return s
}

func script(name, text string) *child {
	return &child{name: name, path: "/bin/sh", args: []string{"-c", text}, stopLimit: patience}
}

const readyAndWait = `echo '{"ready":true}'; echo hello >&2; while :; do sleep 0.05; done`

// pidOf waits until a child is ready as another process than not.
func pidOf(t *testing.T, s *stack, name string, not int) int {
	t.Helper()
	var pid int
	require.Eventually(t, func() bool {
		for _, c := range s.board.snapshot().Children {
			if c.Name == name && c.State == StateReady && c.PID != 0 && c.PID != not {
				pid = c.PID
				return true
			}
		}
		return false
	}, patience, 5*time.Millisecond, "%s did not become ready", name)
	return pid
}

func TestKilledChildComesBackAlone(t *testing.T) {
	var log syncBuffer
	s := newStack(t, &log)
	for _, name := range []string{"engine", "query"} {
		r, err := s.start(script(name, readyAndWait))
		require.NoError(t, err)
		require.NoError(t, s.waitReady(t.Context(), r))
	}
	query := pidOf(t, s, "query", 0)
	engine := pidOf(t, s, "engine", 0)
	for range 5 { // past the threshold of the backoff
		require.NoError(t, syscall.Kill(engine, syscall.SIGKILL))
		engine = pidOf(t, s, "engine", engine)
	}
	assert.Equal(t, query, pidOf(t, s, "query", 0), "the other child is not disturbed")
	status := s.board.snapshot()
	assert.Equal(t, 5, status.Children[0].Restarts)
	assert.Equal(t, "signal: killed", status.Children[0].LastExit)
	require.NoError(t, s.stop())
	assert.ErrorIs(t, syscall.Kill(engine, 0), syscall.ESRCH)
	assert.ErrorIs(t, syscall.Kill(query, 0), syscall.ESRCH)
	assert.Contains(t, log.String(), "engine    | hello")
	assert.NoFileExists(t, s.board.path)
}

func TestChildrenStopInReverseOrder(t *testing.T) {
	s := newStack(t, io.Discard)
	order := filepath.Join(t.TempDir(), "order")
	for _, name := range []string{"engine", "collector", "query"} {
		r, err := s.start(script(name, `trap 'echo `+name+` >> `+order+`; exit 0' TERM; `+readyAndWait))
		require.NoError(t, err)
		require.NoError(t, s.waitReady(t.Context(), r))
	}
	require.NoError(t, s.stop())
	content, err := os.ReadFile(order)
	require.NoError(t, err)
	assert.Equal(t, "query\ncollector\nengine\n", string(content))
}

func TestChildThatIgnoresSIGTERMIsKilled(t *testing.T) {
	var log syncBuffer
	s := newStack(t, &log)
	c := script("engine", `trap '' TERM; `+readyAndWait)
	c.stopLimit = 50 * time.Millisecond
	r, err := s.start(c)
	require.NoError(t, err)
	require.NoError(t, s.waitReady(t.Context(), r))
	require.NoError(t, s.stop())
	assert.Contains(t, log.String(), "was killed")
}

func TestChildThatCannotStartIsExplained(t *testing.T) {
	s := newStack(t, io.Discard)
	r, err := s.start(script("collector", `echo 'first' >&2; echo 'trackway: no such receiver' >&2; exit 1`))
	require.NoError(t, err)
	err = s.waitReady(t.Context(), r)
	require.ErrorContains(t, err, "the collector did not start: no such receiver (its log is ")
	require.NoError(t, s.stop())
}

func TestAnnounceNamesEveryAddress(t *testing.T) {
	s := newStack(t, io.Discard)
	var out bytes.Buffer
	s.options.Out, s.options.Addresses = &out, DefaultAddresses()
	require.NoError(t, s.board.update(func(st *Status) { st.URLs, st.DataDir = s.options.Addresses.urls(), "/data" }))
	require.NoError(t, s.announce())
	for _, want := range []string{
		"http://127.0.0.1:8080", "127.0.0.1:4317 (gRPC)", "http://127.0.0.1:4318 (HTTP)", "http://127.0.0.1:4319/v1/ingest",
		"curl -s 'http://127.0.0.1:8080/api/v1/projects/default/requests", "/data",
	} {
		assert.Contains(t, out.String(), want)
	}

	out.Reset()
	s.options.JSON = true
	require.NoError(t, s.announce())
	var line struct {
		Ready  bool   `json:"ready"`
		Listen string `json:"listen"`
		Status
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	assert.True(t, line.Ready)
	assert.Equal(t, "127.0.0.1:8080", line.Listen)
	assert.Equal(t, "http://127.0.0.1:4319/v1/ingest", line.URLs.NDJSON)
	assert.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")), "one line")
}

func TestLogIsPutAsideWhenLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("old line\n"), maxLogSize/9+1), 0o600))
	l, err := openLogFile(path)
	require.NoError(t, err)
	require.NoError(t, l.rotate())
	assert.Empty(t, l.lastLine(), "lines of earlier processes are not the current one's")
	_, err = l.file.WriteString("new one\nnew two\n")
	require.NoError(t, err)
	assert.Equal(t, "new two", l.lastLine())
	assert.FileExists(t, path+".1")
	require.NoError(t, l.close())
}

// syncBuffer is a buffer that goroutines share.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
