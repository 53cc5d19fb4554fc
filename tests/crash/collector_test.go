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

// collector is one that tests kill and start again on one data directory.
type collector struct {
	process        *harness.Process
	env, args      []string
	data           string
	ndjson, health string
}

// launchCollector runs the standalone configuration against the engine's address.
// The engine need not be there.
func launchCollector(t *testing.T, engine string) *collector {
	t.Helper()
	c := newCollector(t, engine, dataDir(t))
	c.start(t)
	return c
}

// newCollector is launchCollector that starts nothing. The extra arguments follow
// its own.
func newCollector(t *testing.T, engine, data string, args ...string) *collector {
	t.Helper()
	ndjson, health := freeAddress(t), freeAddress(t)
	return &collector{data: data, ndjson: "http://" + ndjson, health: "http://" + health, env: []string{
		"TRACKWAY_DATA=" + data,
		"TRACKWAY_CLICKHOUSE_ENDPOINT=http://" + engine,
		"TRACKWAY_CLICKHOUSE_PASSWORD=" + password,
		"TRACKWAY_NDJSON_ENDPOINT=" + ndjson,
		"TRACKWAY_HEALTH_ENDPOINT=" + health,
		"TRACKWAY_OTLP_GRPC_ENDPOINT=" + freeAddress(t),
		"TRACKWAY_OTLP_HTTP_ENDPOINT=" + freeAddress(t),
		"TRACKWAY_LIVE_TAIL_ENDPOINT=" + freeAddress(t),
	}, args: append([]string{
		"--config", filepath.Join(harness.Root(t), "config", "standalone.yaml"),
		// The upstream exporter for metrics would not start without an engine.
		"--config", "yaml:exporters::clickhouse::create_schema: false",
	}, args...)}
}

// launch starts the process and does not wait.
func (c *collector) launch(t *testing.T) {
	t.Helper()
	c.process = harness.Start(t, "collector", c.env, harness.Collector(t), c.args...)
}

func (c *collector) start(t *testing.T) {
	t.Helper()
	c.launch(t)
	require.Eventually(t, c.healthy, time.Minute, 20*time.Millisecond, "the collector is healthy")
}

func (c *collector) healthy() bool {
	res, err := client.Get(c.health)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// restart kills the collector as a crash would and starts it again.
func (c *collector) restart(t *testing.T) {
	t.Helper()
	c.process.Kill()
	<-c.process.Exited()
	c.start(t)
}

// trapStep and trapSpan spread the renames that are hit over those a unit makes
// in a thread: raw parts first, then those of the tables behind views.
const (
	trapStep = 4
	trapSpan = 17
)

// The engine dies at one rename after another while clients go on sending; no
// run of it between the deaths is a calm one. The collector answers a batch once
// it is in its journal, so clients do not notice.
func TestCollectorBeforeAnEngineKilledAtRenames(t *testing.T) {
	data, listen := dataDir(t), freeAddress(t)
	e := startEngine(t, data, listen)
	c := launchCollector(t, listen)
	s := startSender(t, c.ndjson, c.data)
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

// What trackway up supervises dies at random moments: the engine, the collector,
// both. A sender that was answered finds its batch once; one that was not finds it
// once or not at all.
func TestSupervisedKills(t *testing.T) {
	for _, tt := range []struct {
		name    string
		victims []string
	}{
		{"engine", []string{"engine"}},
		{"collector", []string{"collector"}},
		{"both", []string{"engine", "collector"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inGroups(t, rounds(t), func(t *testing.T, rounds int) { runSupervisedKills(t, tt.victims, rounds) })
		})
	}
}

func runSupervisedKills(t *testing.T, victims []string, rounds int) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	stack := harness.StartStack(t)
	to := store{stack.ClickHouse.URL(), stack.ClickHouse.Password}
	s := startSender(t, stack.NDJSON, stack.Data)
	defer s.stop()
	for round := range rounds {
		s.more(t, 1+random.Uint64N(20))
		time.Sleep(time.Duration(random.IntN(1_500_000)) * time.Microsecond) // a random moment of a unit, not a wait for anything
		var old []int
		for _, v := range victims {
			old = append(old, childPID(t, stack, v, 0))
		}
		for _, pid := range old {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
		for i, v := range victims {
			childPID(t, stack, v, old[i])
		}
		s.more(t, 5)
		s.recountPaused(t, to)
		t.Logf("round %d: %d batches answered, everything is stored once", round, s.answered.Load())
	}
	s.finish(t, to)
}

// childPID waits until a child of up runs that is not the old one; up says 0 while
// none does.
func childPID(t *testing.T, stack *harness.Stack, name string, old int) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		pid = stack.ChildPID(t, name)
		return pid != 0 && pid != old
	}, time.Minute, 20*time.Millisecond, "up starts the %s again", name)
	return pid
}

// The engine is away while the collector accepts and is killed again and again;
// then it comes, and all is drained.
func TestCollectorKilledWhileTheEngineIsAway(t *testing.T) {
	data, listen := dataDir(t), freeAddress(t)
	e := startEngine(t, data, listen)
	c := launchCollector(t, listen)
	s := startSender(t, c.ndjson, c.data)
	s.more(t, 5)
	e.kill(t)
	for range rounds(t) {
		s.more(t, 20)
		c.restart(t)
	}
	s.more(t, 20)
	e = startEngine(t, data, listen)
	c.restart(t) // in the middle of draining
	s.more(t, 10)
	s.finish(t, e.store)
}
