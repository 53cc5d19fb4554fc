package ops_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/smalldisk"
	"github.com/trackwayhq/trackway/tests/harness"
)

// smallDisk mounts a file system of a size at dir, the data directory or a part of it.
func smallDisk(t *testing.T, dir, size string) {
	t.Helper()
	smalldisk.Mount(t, dir, size)
	if data := filepath.Dir(dir); filepath.Base(data) == "data" { // a part has a disk of its own
		require.NoError(t, os.WriteFile(filepath.Join(data, "VERSION"), []byte("trackway data directory, format 1\n"), 0o600))
	}
}

// health gives what /healthz says of the store.
func health(s *harness.Stack) string {
	res, err := http.Get(s.Query + "/healthz")
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	var body struct {
		Store string `json:"store"`
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		return err.Error()
	}
	return body.Store
}

// fullSender sends bodies of requests and counts what was accepted. A refusal must
// say why.
type fullSender struct {
	stack    *harness.Stack
	accepted int
	refused  []string
}

// send sends one body, and says whether it was accepted.
func (f *fullSender) send(t *testing.T) bool {
	t.Helper()
	var body strings.Builder
	for i := range 200 {
		fmt.Fprintf(&body, `{"type":"request","service":"full","method":"POST","route":"/full","status":200,"request_body":%q}`+"\n", strings.Repeat(fmt.Sprint(f.accepted, i, " "), 300))
	}
	res, err := http.Post(f.stack.NDJSON+"/v1/ingest", "application/x-ndjson", strings.NewReader(body.String()))
	if err != nil {
		return false // the collector is being started again
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return false
	}
	if res.StatusCode == http.StatusOK {
		f.accepted += 200
		return true
	}
	assert.Contains(t, []int{http.StatusServiceUnavailable, http.StatusTooManyRequests}, res.StatusCode, string(text))
	assert.NotEmpty(t, res.Header.Get("Retry-After"))
	f.refused = append(f.refused, fmt.Sprintf("%d %s", res.StatusCode, text))
	return false
}

// untilRefused sends until a body is refused.
func (f *fullSender) untilRefused(t *testing.T) {
	t.Helper()
	for n := len(f.refused); len(f.refused) == n; {
		f.send(t)
		require.Less(t, f.accepted, 2_000_000)
	}
}

// allStored waits until everything accepted is stored, once, and the store is whole.
func (f *fullSender) allStored(t *testing.T) {
	t.Helper()
	require.True(t, assertEventually(func() bool { return f.send(t) }), "it goes on: %v", f.refused)
	eventually(t, f.stack, fmt.Sprint(f.accepted), "SELECT count() FROM trackway.requests WHERE service = 'full'")
	eventually(t, f.stack, fmt.Sprint(f.accepted), "SELECT sum(cnt) FROM trackway.cnt_m WHERE service = 'full'")
	assert.Equal(t, "1", f.stack.ClickHouse.Query(t, "CHECK TABLE trackway.requests SETTINGS check_query_single_value_result = 1"))
	require.True(t, assertEventually(func() bool { return health(f.stack) == "ok" }))
}

// upSays waits until run/up.json names a full disk, or none.
func upSays(t *testing.T, s *harness.Stack, part string) {
	t.Helper()
	var full string
	require.True(t, assertEventually(func() bool {
		text, err := os.ReadFile(filepath.Join(s.Data, "run", "up.json"))
		var status struct {
			Full string `json:"full"`
		}
		if err != nil || json.Unmarshal(text, &status) != nil {
			return false
		}
		full = status.Full
		return (full == "") == (part == "") && strings.Contains(full, part)
	}), "want %q, got %q", part, full)
}

// TestFullDiskOfTheJournal fills it while the engine does not answer, so that nothing
// drains.
func TestFullDiskOfTheJournal(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	smallDisk(t, filepath.Join(data, "journal"), "512m")
	s := harness.StartStackIn(t, data, nil)
	f := &fullSender{stack: s}
	require.True(t, assertEventually(func() bool { return f.send(t) }))
	eventually(t, s, "200", "SELECT count() FROM trackway.requests WHERE service = 'full'")

	engine := s.ChildPID(t, "engine")
	require.NoError(t, syscall.Kill(engine, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(engine, syscall.SIGCONT) })
	free := smalldisk.Fill(t, filepath.Join(data, "journal"))
	f.untilRefused(t)
	assert.Contains(t, f.refused[0], "503")
	assert.Contains(t, f.refused[0], "the journal has no room")
	upSays(t, s, "journal")
	free()
	upSays(t, s, "")
	require.True(t, assertEventually(func() bool { return f.send(t) }), "it goes on: %v", f.refused)
	require.NoError(t, syscall.Kill(engine, syscall.SIGCONT))
	f.allStored(t)
}

// TestFullDiskOfTheStore fills it: what is sent waits in the journal.
func TestFullDiskOfTheStore(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	smallDisk(t, filepath.Join(data, "store"), "512m")
	s := harness.StartStackIn(t, data, nil)
	f := &fullSender{stack: s}
	require.True(t, assertEventually(func() bool { return f.send(t) }))
	eventually(t, s, "200", "SELECT count() FROM trackway.requests WHERE service = 'full'")

	free := smalldisk.Fill(t, filepath.Join(data, "store"))
	for range 20 {
		require.True(t, f.send(t), "the journal has room: %v", f.refused)
	}
	require.True(t, assertEventually(func() bool { return health(s) == "no room" }), health(s))
	upSays(t, s, "store")
	assert.NotEqual(t, fmt.Sprint(f.accepted), s.ClickHouse.Query(t, "SELECT count() FROM trackway.requests WHERE service = 'full'"))
	free()
	f.allStored(t)
	upSays(t, s, "")
}

// TestFullDisk fills the one disk that everything is on, the metadata too, kills
// the collector and the engine while it is full, and makes room.
func TestFullDisk(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	smallDisk(t, data, "768m")
	s := harness.StartStackIn(t, data, nil)
	f := &fullSender{stack: s}
	require.True(t, assertEventually(func() bool { return f.send(t) }))
	eventually(t, s, "200", "SELECT count() FROM trackway.requests WHERE service = 'full'")

	free := smalldisk.Fill(t, data)
	f.untilRefused(t)
	assert.Contains(t, f.refused[0], "503")
	assert.Contains(t, f.refused[0], "no room")
	_, stderr, err := trackway(t, "project", "create", "shop", "--data", data)
	require.Error(t, err)
	assert.Contains(t, stderr, "full")
	for _, name := range []string{"collector", "engine"} {
		require.NoError(t, syscall.Kill(s.ChildPID(t, name), syscall.SIGKILL))
	}
	free()
	f.allStored(t)
	_, stderr, err = trackway(t, "project", "create", "shop", "--data", data)
	require.NoError(t, err, stderr)
	upSays(t, s, "")
}
