package crash_test

import (
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// freeAddress is a loopback address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	return harness.FreeAddresses(t, 1)[0]
}

// startCollector runs the standalone configuration against the engine's address
// and gives the base URL for NDJSON. The engine need not be there.
func startCollector(t *testing.T, engine string) string {
	t.Helper()
	ndjson, health := freeAddress(t), freeAddress(t)
	harness.Start(t, "collector", []string{
		"TRACKWAY_DATA=" + dataDir(t),
		"TRACKWAY_CLICKHOUSE_ENDPOINT=http://" + engine,
		"TRACKWAY_CLICKHOUSE_PASSWORD=" + password,
		"TRACKWAY_NDJSON_ENDPOINT=" + ndjson,
		"TRACKWAY_HEALTH_ENDPOINT=" + health,
		"TRACKWAY_OTLP_GRPC_ENDPOINT=" + freeAddress(t),
		"TRACKWAY_OTLP_HTTP_ENDPOINT=" + freeAddress(t),
		"TRACKWAY_LIVE_TAIL_ENDPOINT=" + freeAddress(t),
	}, harness.Collector(t), "--config", filepath.Join(harness.Root(t), "config", "standalone.yaml"))
	require.Eventually(t, func() bool {
		res, err := client.Get("http://" + health)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond, "the collector is healthy")
	return "http://" + ndjson
}

// trapStep and trapSpan spread the renames that are hit over those a unit makes
// in a thread: raw parts first, then those of the tables behind views.
const (
	trapStep = 4
	trapSpan = 17
)

// The engine dies at one rename after another while clients go on sending; no
// run of it between the deaths is a calm one. The collector answers a batch once
// it is stored, so clients wait while the engine is away.
func TestCollectorBeforeAnEngineKilledAtRenames(t *testing.T) {
	data, listen := dataDir(t), freeAddress(t)
	e := startEngine(t, data, listen)
	s := startSender(t, startCollector(t, listen))
	s.more(t, 5)
	e.kill(t)
	for round := range rounds(t) {
		n := 1 + round*trapStep%trapSpan
		trapped := launchEngine(t, data, listen, trap(t, partRename, n)...)
		select {
		case <-trapped.Exited():
		case <-time.After(2 * time.Minute):
			t.Fatalf("no thread of the engine met its rename %d", n)
		}
	}
	e = startEngine(t, data, listen)
	s.more(t, 10)
	s.finish(t, e.store)
}

// The engine that trackway up supervises dies at random moments.
func TestSupervisedEngineKilledAtRandomMoments(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	stack := harness.StartStack(t)
	s := startSender(t, stack.NDJSON)
	for range rounds(t) {
		s.more(t, 1+random.Uint64N(20))
		time.Sleep(time.Duration(random.IntN(50_000)) * time.Microsecond) // a random moment, not a wait for anything
		old := stack.ChildPID(t, "engine")
		require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
		require.Eventually(t, func() bool { return stack.ChildPID(t, "engine") != old }, time.Minute, 20*time.Millisecond, "up starts the engine again")
	}
	s.more(t, 10)
	s.finish(t, store{stack.ClickHouse.URL(), stack.ClickHouse.Password})
}
