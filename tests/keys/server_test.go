package keys_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// server is a query server with config/query.yaml and a metadata store of its own,
// and the command line that changes the store.
type server struct {
	*harness.Process

	addr string // host:port
	dsn  string
}

func newServer(t *testing.T) *server {
	t.Helper()
	return &server{addr: nowhere(t), dsn: "sqlite:" + filepath.Join(t.TempDir(), "meta.db")}
}

// start runs the query server, again after a stop.
func (s *server) start(t *testing.T) {
	t.Helper()
	s.Process = harness.Start(t, "query", []string{
		"TRACKWAY_QUERY_LISTEN=" + s.addr, "TRACKWAY_METADATA_DSN=" + s.dsn, "TRACKWAY_INTERNAL_TOKEN=" + internalToken,
	}, harness.Trackway(t), "query", "--config", filepath.Join(harness.Root(t), "config", "query.yaml"))
	s.Ready(t)
}

// run runs a command on the metadata store and reads the JSON it prints.
func (s *server) run(t *testing.T, out any, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.Trackway(t), append(args, "--dsn", s.dsn, "--json")...)
	text, err := cmd.Output()
	if err != nil {
		var failed *exec.ExitError
		require.ErrorAs(t, err, &failed)
		require.NoError(t, err, "%v: %s", args, failed.Stderr)
	}
	require.NoError(t, json.Unmarshal(text, out), "%v: %s", args, text)
}

// madeKey is a new key.
type madeKey struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

func (s *server) createProject(t *testing.T, id string, flags ...string) {
	t.Helper()
	var p struct{}
	s.run(t, &p, append([]string{"project", "create", id}, flags...)...)
}

func (s *server) createKey(t *testing.T, project string) madeKey {
	t.Helper()
	var k madeKey
	s.run(t, &k, "key", "create", "--project", project)
	require.NotEmpty(t, k.Secret)
	return k
}
