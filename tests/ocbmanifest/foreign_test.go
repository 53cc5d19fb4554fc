package ocbmanifest

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

const (
	builderModule = "go.opentelemetry.io/collector/cmd/builder@v0.160.0"
	// Linking competes with whatever else the machine does.
	startTimeout = 2 * time.Minute
)

// manifest is what a user of another distribution writes. CLONE is the clone.
const manifest = `
dist:
  module: example.com/acme/collector
  name: acme-collector
  output_path: ./out
extensions:
  - gomod: github.com/open-telemetry/opentelemetry-collector-contrib/extension/healthcheckextension v0.160.0
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v0.160.0
  - {gomod: github.com/trackwayhq/trackway v0.0.0, import: github.com/trackwayhq/trackway/receiver/requesteventreceiver}
processors:
  - gomod: go.opentelemetry.io/collector/processor/batchprocessor v0.160.0
  - gomod: github.com/open-telemetry/opentelemetry-collector-contrib/processor/resourceprocessor v0.160.0
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/debugexporter v0.160.0
  - {gomod: github.com/trackwayhq/trackway v0.0.0, import: github.com/trackwayhq/trackway/exporter/clickhouserollupexporter}
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider v1.66.0
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider v1.66.0
replaces:
  - github.com/trackwayhq/trackway => CLONE
`

// foreignConfig takes NDJSON into a store and into the log; the store is not
// there, which must not keep the collector from starting.
const foreignConfig = `
extensions:
  health_check: {endpoint: "${env:HEALTH}"}
receivers:
  otlp: {protocols: {http: {endpoint: "${env:OTLP_HTTP}"}}}
  request_event: {http: {endpoint: "${env:NDJSON}"}, timeout: 1s}
processors:
  resource:
    attributes: [{key: trackway.project, value: acme, action: upsert}]
exporters:
  debug: {verbosity: detailed}
  clickhouse_rollup: {clickhouse: {endpoint: "http://${env:STORE}"}}
service:
  extensions: [health_check]
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp, request_event], processors: [resource], exporters: [clickhouse_rollup]}
    logs: {receivers: [request_event], processors: [resource], exporters: [debug]}
`

// unwanted are modules that our components must not bring: drivers of metadata
// databases, the binding of the engine library, the MCP SDK.
var unwanted = regexp.MustCompile(`(?i)jackc/pgx|sqlite|ebitengine/purego|modelcontextprotocol|mcp-go`)

func TestForeignManifest(t *testing.T) {
	clone := harness.Root(t)
	dir := t.TempDir()
	require.False(t, strings.HasPrefix(dir, clone+string(filepath.Separator)), "%s must be outside the repository", dir)
	ours := generate(t, dir, strings.ReplaceAll(manifest, "CLONE", clone))

	t.Run("modules", func(t *testing.T) {
		var without []string
		for line := range strings.Lines(manifest) {
			if !strings.Contains(line, "trackwayhq") && !strings.Contains(line, "replaces") {
				without = append(without, line)
			}
		}
		// The collector's service reads process metrics by gopsutil, whose macOS
		// part requires purego: what upstream names by itself is not ours.
		upstream := unwantedModules(t, generate(t, t.TempDir(), strings.Join(without, ""), "--skip-compilation"))
		assert.Subset(t, upstream, unwantedModules(t, ours), "our components bring modules they must not")
		assert.Contains(t, run(t, ours, "go", "list", "-m", "all"), "github.com/trackwayhq/trackway v0.0.0 => "+clone)
		for line := range strings.Lines(run(t, ours, "go", "list", "-deps", ".")) {
			assert.False(t, unwanted.MatchString(line), "compiles %s", line)
		}
	})

	addrs := harness.FreeAddresses(t, 4)
	config := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte(foreignConfig), 0o600))
	p := harness.Start(t, "acme-collector",
		[]string{"HEALTH=" + addrs[0], "OTLP_HTTP=" + addrs[1], "NDJSON=" + addrs[2], "STORE=" + addrs[3]},
		filepath.Join(ours, "acme-collector"), "--config", "file:"+config)
	require.Eventually(t, func() bool {
		select {
		case <-p.Exited():
			t.Fatalf("the collector ended:\n%s", p.Stderr())
		default:
		}
		status, _, err := request(http.MethodGet, "http://"+addrs[0], "")
		return err == nil && status == http.StatusOK
	}, startTimeout, 50*time.Millisecond, "the health check does not answer")

	t.Run("takes an event", func(t *testing.T) {
		status, body, err := request(http.MethodPost, "http://"+addrs[2]+"/v1/ingest", `{"type":"event","name":"order.paid"}`)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, status)
		assert.JSONEq(t, `{"accepted":1,"rejected":0}`, body)
		require.Eventually(t, func() bool { return strings.Contains(p.Stderr(), "EventName: order.paid") },
			startTimeout, 50*time.Millisecond, "the event does not reach the upstream exporter")
	})
	t.Run("does not acknowledge what it cannot store", func(t *testing.T) {
		status, body, err := request(http.MethodPost, "http://"+addrs[2]+"/v1/ingest", `{"type":"request","status":200}`)
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, status, body)
	})
}

// generate runs the builder on a manifest and gives the directory of its module.
func generate(t *testing.T, dir, manifest string, flags ...string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(manifest), 0o600))
	run(t, dir, "go", append([]string{"run", builderModule, "--config", "manifest.yaml"}, flags...)...)
	return filepath.Join(dir, "out")
}

// unwantedModules gives those of the module graph, without their versions.
func unwantedModules(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(run(t, dir, "go", "list", "-m", "all")) {
		if unwanted.MatchString(line) {
			found = append(found, strings.Fields(line)[0])
		}
	}
	return found
}

// run runs a command without cgo, as the builder does, and gives its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s:\n%s%s", name, strings.Join(args, " "), out, stderr.String())
	return string(out)
}

func request(method, url, body string) (status int, answer string, err error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, strings.TrimSpace(string(text)), err
}
