package crash_test

import (
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/crash/faultfs"
	"github.com/trackwayhq/trackway/tests/harness"
)

// machine has a disk of its own, on which an engine keeps its data.
type machine struct {
	disk    *faultfs.Disk
	mount   string
	unmount func() error
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{disk: faultfs.New(), mount: t.TempDir()}
	m.attach(t)
	t.Cleanup(func() { require.NoError(t, m.unmount()) })
	return m
}

// forget has the disk lose what was not synced; with random it may keep any part of
// that. Nothing may run on it.
func (m *machine) forget(t *testing.T, random *rand.Rand) {
	t.Helper()
	require.NoError(t, m.unmount())
	m.disk.CutPower(random)
	m.attach(t)
}

func (m *machine) attach(t *testing.T) {
	t.Helper()
	var err error
	m.unmount, err = m.disk.Mount(m.mount)
	require.NoError(t, err)
}

// faults are collector and engine of which one, or both, keep their data on a disk
// that kills.
type faults struct {
	*machine
	victims []string
	random  *rand.Rand

	address   string // of the engine
	engineDir string
	engine    *harness.Process
	collector *collector

	mu     sync.Mutex
	living []*harness.Process // the victims that were started last
}

const (
	engineVictim    = "engine"
	collectorVictim = "collector"
)

// places are the paths below which calls of a victim count.
var places = map[string][]string{
	engineVictim:    {"/engine/store/", "/engine/DIRTY", "/engine/run/.replace", "/engine/VERSION"},
	collectorVictim: {"/collector/journal", "/collector/deadletter"},
}

func newFaults(t *testing.T, seed uint64, victims ...string) *faults {
	t.Helper()
	f := &faults{machine: newMachine(t), victims: victims, random: rand.New(rand.NewPCG(seed, seed)), address: freeAddress(t)}
	t.Cleanup(f.kill) // the processes may wait for a disk that refuses everything
	f.engineDir = f.dir(t, engineVictim)
	f.collector = newCollector(t, f.address, f.dir(t, collectorVictim),
		// Small files are ended, prepared, renamed and used again all the time.
		"--config", "yaml:extensions::journal_storage::segment_bytes: 262144",
		"--config", "yaml:extensions::journal_storage::max_bytes: 67108864")
	f.startEngine(t)
	f.collector.start(t)
	f.register()
	return f
}

func (f *faults) isVictim(name string) bool {
	for _, v := range f.victims {
		if v == name {
			return true
		}
	}
	return false
}

// dir is where a process keeps its data.
func (f *faults) dir(t *testing.T, name string) string {
	t.Helper()
	if f.isVictim(name) {
		return filepath.Join(f.mount, name)
	}
	return filepath.Join(t.TempDir(), name)
}

func (f *faults) store() store { return store{"http://" + f.address, password} }

func (f *faults) launchEngine(t *testing.T) {
	t.Helper()
	f.engine = launchEngine(t, f.engineDir, f.address)
}

func (f *faults) startEngine(t *testing.T) {
	t.Helper()
	f.launchEngine(t)
	f.engine.Ready(t)
}

func (f *faults) processes() (out []*harness.Process) {
	if f.isVictim(engineVictim) {
		out = append(out, f.engine)
	}
	if f.isVictim(collectorVictim) {
		out = append(out, f.collector.process)
	}
	return out
}

// register notes which processes are killed together.
func (f *faults) register() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.living = f.processes()
}

// kill ends the victims.
func (f *faults) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.living {
		p.Kill()
	}
}

// launch starts the victims and does not wait for them.
func (f *faults) launch(t *testing.T) {
	t.Helper()
	if f.isVictim(engineVictim) {
		f.launchEngine(t)
	}
	if f.isVictim(collectorVictim) {
		f.collector.launch(t)
	}
	f.register()
}

// start starts the victims and waits until they are ready.
func (f *faults) start(t *testing.T) {
	t.Helper()
	f.launch(t)
	if f.isVictim(engineVictim) {
		f.engine.Ready(t)
	}
	if f.isVictim(collectorVictim) {
		require.Eventually(t, f.collector.healthy, time.Minute, 20*time.Millisecond, "the collector is healthy")
	}
}

// wait waits until the victims are dead.
func (f *faults) wait() {
	f.kill()
	for _, p := range f.processes() {
		<-p.Exited()
	}
}
