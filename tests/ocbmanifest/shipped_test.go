package ocbmanifest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// queryServers are configurations of the query server, not of a collector.
var queryServers = map[string]bool{"query.yaml": true}

// The configurations that ship are valid as they are, and with the variables
// they ask for.
func TestShippedConfigurations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(harness.Root(t), "config", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := filepath.Base(file)
		if queryServers[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), harness.Collector(t), "validate", "--config", "file:"+file)
			cmd.Env = append(cmd.Environ(), "TRACKWAY_INGEST_KEY=twk_0123456789abcdef", "TRACKWAY_INTERNAL_TOKEN=secret", "TRACKWAY_GATEWAY_ENDPOINT=https://gateway.example:4317")
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
}

// The collector knows the components that the manifest names.
func TestComponents(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), harness.Collector(t), "components").Output()
	require.NoError(t, err)
	for _, name := range []string{"request_event", "project", "request_redaction", "correlation", "clickhouse_rollup", "live_tail", "host_check", "project_auth", "admission", "pipeline_check", "otlp", "clickhouse"} {
		assert.True(t, strings.Contains(string(out), "name: "+name+"\n"), "component %s is missing in:\n%s", name, out)
	}
}
