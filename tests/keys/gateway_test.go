package keys_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// patience bounds waiting for something that takes seconds at most.
const patience = 60 * time.Second

const internalToken = "for-collectors-only"

// gateway is a collector with config/gateway.yaml, and what it needs.
type gateway struct {
	engine *harness.Engine
	*harness.Process

	grpc, http, ndjson string // host:port
	config, data       string
	health             string
	env                []string
}

// startGateway runs the shipped configuration, changed in places (old, new, …),
// with the query server at query, host:port.
func startGateway(t *testing.T, query string, changes ...string) *gateway {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root(t), "config", "gateway.yaml"))
	require.NoError(t, err)
	engine := harness.StartEngine(t)
	addrs := harness.FreeAddresses(t, 5)
	data := t.TempDir()
	g := &gateway{
		engine: engine, grpc: addrs[0], http: addrs[1], ndjson: addrs[2], health: addrs[4], config: string(text), data: data,
		env: []string{
			"TRACKWAY_OTLP_GRPC_ENDPOINT=" + addrs[0], "TRACKWAY_OTLP_HTTP_ENDPOINT=" + addrs[1], "TRACKWAY_NDJSON_ENDPOINT=" + addrs[2],
			"TRACKWAY_LIVE_TAIL_ENDPOINT=" + addrs[3], "TRACKWAY_HEALTH_ENDPOINT=" + addrs[4],
			"TRACKWAY_CLICKHOUSE_ENDPOINT=" + engine.URL(), "TRACKWAY_CLICKHOUSE_USER=" + engine.User, "TRACKWAY_CLICKHOUSE_PASSWORD=" + engine.Password,
			"TRACKWAY_DATA=" + data, "TRACKWAY_QUERY_ENDPOINT=http://" + query, "TRACKWAY_INTERNAL_TOKEN=" + internalToken,
		},
	}
	for i := 0; i < len(changes); i += 2 {
		require.Equal(t, 1, strings.Count(g.config, changes[i]), "in gateway.yaml: %s", changes[i])
		g.config = strings.Replace(g.config, changes[i], changes[i+1], 1)
	}
	g.start(t)
	return g
}

func (g *gateway) start(t *testing.T) {
	t.Helper()
	g.Process = harness.StartCollector(t, g.config, g.health, g.env...)
}

// withKeys are changes that add keys to the configuration, given as project and
// key in turn.
func withKeys(pairs ...string) []string {
	var list strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&list, "\n      - {project: %s, key: %s}", pairs[i], pairs[i+1])
	}
	const token = "    token: ${env:TRACKWAY_INTERNAL_TOKEN}\n"
	return []string{token, token + "    keys:" + list.String() + "\n"}
}

// nowhere is an address that nobody listens on.
func nowhere(t *testing.T) string { return harness.FreeAddresses(t, 1)[0] }

// awaitStored waits until the requests of a service are in the store, by project as
// want has it: lines of project, tab, and number.
func (g *gateway) awaitStored(t *testing.T, service, want string) {
	t.Helper()
	var got string
	var err error
	require.Eventually(t, func() bool {
		got, err = g.stored(t.Context(), service) // the tables are made with the first data
		return err == nil && got == want
	}, patience, 100*time.Millisecond, "service %s: want %q", service, want)
}

// nothingStored fails if the store has requests of a service.
func (g *gateway) nothingStored(t *testing.T, service string) {
	t.Helper()
	got, err := g.stored(t.Context(), service)
	require.NoError(t, err)
	require.Empty(t, got)
}

func (g *gateway) stored(ctx context.Context, service string) (string, error) {
	return g.engine.TryQuery(ctx, "SELECT project, count() FROM trackway.requests WHERE service = "+harness.Literal(service)+" GROUP BY project ORDER BY project FORMAT TSV")
}
