package senders_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
	"github.com/trackwayhq/trackway/tests/senders/spanfile"
)

// service is a running sender.
type service struct {
	*harness.Process
	url   string
	spans string // the file of what its SDK recorded
}

// startGo builds and starts the Go sender. Protocol is grpc or http/protobuf.
func startGo(t *testing.T, s *harness.Stack, protocol, peer string) *service {
	t.Helper()
	program := filepath.Join(t.TempDir(), "goservice")
	build := exec.Command("go", "build", "-o", program, "./goservice")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoErrorf(t, err, "go build ./goservice: %s", out)

	endpoint := s.OTLPHTTP
	if protocol == "grpc" {
		endpoint = "http://" + s.OTLPGRPC
	}
	file := filepath.Join(t.TempDir(), "go-spans.jsonl")
	return start(t, file, []string{
		"OTEL_SERVICE_NAME=go-shop",
		"OTEL_RESOURCE_ATTRIBUTES=service.version=v1.4.2,deployment.environment.name=test,service.instance.id=go-1,team=shop",
		"OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint,
		"PEER_URL=" + peer,
	}, program)
}

// startNode starts the Node sender and installs what its lock file names where
// that has not been done.
func startNode(t *testing.T, s *harness.Stack) *service {
	t.Helper()
	if _, err := os.Stat("nodeservice/node_modules/.package-lock.json"); err != nil {
		install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		install.Dir = "nodeservice"
		out, err := install.CombinedOutput()
		require.NoErrorf(t, err, "npm ci in tests/senders/nodeservice: %s", out)
	}
	file := filepath.Join(t.TempDir(), "node-spans.jsonl")
	return start(t, file, []string{
		"OTEL_SERVICE_NAME=node-shop",
		"OTEL_RESOURCE_ATTRIBUTES=service.version=v7.0.1,deployment.environment.name=test",
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + s.OTLPHTTP,
	}, "node", "nodeservice/server.js")
}

func start(t *testing.T, spanFile string, env []string, program string, args ...string) *service {
	t.Helper()
	p := harness.Start(t, filepath.Base(program), append(env, "SPAN_FILE="+spanFile), program, args...)
	listen, ok := p.Ready(t)["listen"].(string)
	require.True(t, ok, "the sender's ready line has no address")
	return &service{Process: p, url: "http://" + listen, spans: spanFile}
}

// call sends one request and wants the status.
func (s *service) call(t *testing.T, method, path, body string, status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "black-box/1.0")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equalf(t, status, res.StatusCode, "%s %s", method, path)
}

// finish stops the sender, which sends what is still queued, and gives what its
// SDK recorded.
func (s *service) finish(t *testing.T) []spanfile.Span {
	t.Helper()
	s.Stop(t)
	spans, err := spanfile.Read(s.spans)
	require.NoError(t, err)
	require.NotEmpty(t, spans)
	return spans
}
