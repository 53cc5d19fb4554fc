package crash_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/tests/harness"
)

const password = "crash"

// engine is one that tests start, kill and start again on one directory.
type engine struct {
	*harness.Process
	store
}

// store is a ClickHouse HTTP interface.
type store struct{ url, password string }

// startEngine starts an engine on the data directory, behind the command prefix
// if one is given, and waits until it answers.
func startEngine(t *testing.T, data, listen string, prefix ...string) *engine {
	t.Helper()
	p := launchEngine(t, data, listen, prefix...)
	addr, ok := p.Ready(t)["listen"].(string)
	require.True(t, ok)
	return &engine{p, store{"http://" + addr, password}}
}

// launchEngine is startEngine that does not wait.
func launchEngine(t *testing.T, data, listen string, prefix ...string) *harness.Process {
	t.Helper()
	argv := append(append([]string{}, prefix...), harness.Trackway(t), "engine", "--data", data, "--listen", listen, "--library", harness.Library(t))
	return harness.Start(t, "engine", []string{"TRACKWAY_ENGINE_PASSWORD=" + password}, argv[0], argv[1:]...)
}

// How the engine's C library names its renames on amd64: parts come into place by
// rename, definitions of tables by renameat2. Go's runtime takes renameat, so the
// files that the process itself moves before it is ready do not count.
const (
	partRename       = "rename"
	definitionRename = "renameat2"
)

// trap is the strace command under which the engine is killed as a thread of its
// enters the nth call of that name, before the call happens.
func trap(t *testing.T, call string, n int) []string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	require.NoError(t, err, "this test needs strace: apt-get install strace")
	// -D makes the engine, not strace, the child of the test.
	return []string{strace, "-D", "-f", "-q", "-o", os.DevNull, "-e", "trace=" + call,
		"-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, n)}
}

// outlives repeats f on an engine that was launched at the address until f
// succeeds or the engine has died, and tells whether it lives. It does not wait
// for the ready line: a merge may meet the trap before there is one.
func outlives(p *harness.Process, listen string, f func(store) error) bool {
	s := store{"http://" + listen, password}
	for f(s) != nil {
		select {
		case <-p.Exited():
			return false
		case <-time.After(10 * time.Millisecond): // not to spin until it listens
		}
	}
	return true
}

// kill ends the engine as a crash would.
func (e *engine) kill(t *testing.T) {
	t.Helper()
	e.Kill()
	<-e.Exited()
}

// client keeps no connections: each of the engines is another server.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// post runs a statement, with the body behind it, and gives the answer.
func (s store) post(ctx context.Context, statement string, settings url.Values, body io.Reader) (string, error) {
	query := url.Values{"query": {statement}}
	for k, v := range settings {
		query[k] = v
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/?"+query.Encode(), body)
	if err != nil {
		return "", err
	}
	req.Header.Set("X-ClickHouse-User", "default")
	req.Header.Set("X-ClickHouse-Key", s.password)
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", res.Status, answer)
	}
	return string(answer), nil
}

// ask runs a query that must succeed and gives its tab separated answer.
func (s store) ask(t *testing.T, query string) string {
	t.Helper()
	answer, err := s.post(t.Context(), query, nil, http.NoBody)
	require.NoError(t, err, "%s", query)
	return strings.TrimSpace(answer)
}

// createSchema creates the product's own tables and views.
func (s store) createSchema(t *testing.T) {
	t.Helper()
	require.NoError(t, s.tryCreateSchema(t.Context()))
}

func (s store) tryCreateSchema(ctx context.Context) error {
	return schema.Create(ctx, schema.Options{}, func(ctx context.Context, sql string) error {
		_, err := s.post(ctx, sql, nil, http.NoBody)
		return err
	})
}

// rounds is how often tests kill at random.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("TRACKWAY_KILL_ROUNDS")
	if text == "" {
		return 5
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "TRACKWAY_KILL_ROUNDS")
	return n
}

// groupRounds is after how many rounds a test begins anew with an empty store, since
// everything is counted after each.
const groupRounds = 20

// inGroups divides rounds over subtests.
func inGroups(t *testing.T, rounds int, run func(t *testing.T, rounds int)) {
	t.Helper()
	for from := 0; from < rounds; from += groupRounds {
		t.Run(fmt.Sprint(from), func(t *testing.T) { run(t, min(groupRounds, rounds-from)) })
	}
}

func dataDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data")
}
