package bench

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// limit is how long a run may take; it is not a measure.
const limit = 10 * time.Minute

// document is the part of a JSON report that is looked at.
type document struct {
	Machine  struct{ CPU string }
	Disk     struct{ Device string }
	Versions struct{ Engine, Collector, Go string }
	Points   []struct {
		Scenario, Arm string
		Wrong         []string
		Rows          int64
		Sent          struct {
			All struct {
				ItemsAccepted int64 `json:"items_accepted"`
			}
			Latency struct{ Count int64 }
		}
		Tables    *struct{ Requests, Journey, Facets int64 }
		Tails     []struct{ Missing int64 }
		Processes []struct {
			Name    string
			Micros  float64 `json:"us_per_event"`
			PeakRSS int64   `json:"peak_rss_bytes"`
		}
		Series []struct{ At float64 }
	}
	Gates []struct{ Name string }
}

// ingest runs the benchmark and gives its report and what it printed.
func ingest(t *testing.T, args ...string) (report document, text string, files map[string]string, err error) {
	t.Helper()
	dir := t.TempDir()
	files = map[string]string{}
	all := []string{
		"bench", "ingest", "--data", filepath.Join(dir, "data"), "--config-dir", filepath.Join(harness.Root(t), "config"),
		"--collector", harness.Collector(t), "--library", harness.Library(t),
	}
	for _, kind := range []string{"json", "markdown", "html"} {
		files[kind] = filepath.Join(dir, "report."+kind)
		all = append(all, "--"+kind, files[kind])
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, harness.Trackway(t), append(all, args...)...).CombinedOutput()
	for kind, path := range files {
		content, readErr := os.ReadFile(path)
		require.NoError(t, readErr, "%s", out)
		files[kind] = string(content)
	}
	require.NoError(t, json.Unmarshal([]byte(files["json"]), &report))
	left, readErr := filepath.Glob(filepath.Join(dir, "data", "*"))
	require.NoError(t, readErr)
	assert.Empty(t, left, "what it measured is removed")
	return report, string(out), files, err
}

func TestEveryRowIsRecounted(t *testing.T) {
	report, text, files, err := ingest(t, "--scenario", "events,tail", "--seconds", "2", "--warmup", "0", "--rate", "1000")
	require.NoError(t, err, text)
	require.Len(t, report.Points, 2)
	for _, p := range report.Points {
		assert.Empty(t, p.Wrong)
		require.NotNil(t, p.Tables)
		assert.Positive(t, p.Sent.All.ItemsAccepted)
		assert.Positive(t, p.Sent.Latency.Count)
		assert.Positive(t, p.Tables.Facets)
		probes := p.Tables.Requests - p.Sent.All.ItemsAccepted
		assert.GreaterOrEqual(t, probes, int64(0))
		assert.Equal(t, 3*p.Sent.All.ItemsAccepted+probes, p.Tables.Journey, "three keys an item, one a probe")
		assert.Equal(t, p.Rows, p.Tables.Requests)
		used := map[string]bool{}
		for _, process := range p.Processes {
			used[process.Name] = process.PeakRSS > 0
			if process.Name == "collector" || process.Name == "engine" {
				assert.Positive(t, process.Micros, process.Name)
			}
		}
		assert.Equal(t, map[string]bool{"sender": true, "collector": true, "engine": true, "query": true, "bench": true}, used)
		assert.GreaterOrEqual(t, len(p.Series), 2)
	}
	require.Len(t, report.Points[1].Tails, 2, "through collector and query server")
	for _, tail := range report.Points[1].Tails {
		assert.Zero(t, tail.Missing)
	}
	assert.NotEmpty(t, report.Machine.CPU)
	assert.NotEmpty(t, report.Disk.Device)
	assert.NotEmpty(t, report.Versions.Engine)
	for _, form := range []string{text, files["markdown"], files["html"]} {
		assert.Contains(t, form, "CPU budget")
		assert.Contains(t, form, report.Versions.Engine)
	}
}

func TestPeersRunOnTheSameTraffic(t *testing.T) {
	report, text, _, err := ingest(t, "--scenario", "contrib,small", "--seconds", "1", "--warmup", "0", "--rate", "2500")
	require.NoError(t, err, text)
	var arms []string
	for _, p := range report.Points {
		arms = append(arms, p.Scenario+": "+p.Arm)
		assert.Empty(t, p.Wrong)
		assert.Positive(t, p.Sent.All.ItemsAccepted, p.Arm)
		assert.GreaterOrEqual(t, p.Rows, p.Sent.All.ItemsAccepted, p.Arm)
	}
	assert.Equal(t, []string{
		"contrib: trackway, no processors", "contrib: trackway", "contrib: upstream, file_storage", "contrib: upstream, in memory",
		"small: trackway", "small: file_storage",
	}, arms)
	assert.Contains(t, text, "clickhouseexporter of contrib", "what differs is said")
}

// A rate that no machine sustains must fail its gate, and the command with it.
func TestAGateThatDoesNotHoldFailsTheCommand(t *testing.T) {
	report, text, _, err := ingest(t, "--scenario", "events", "--seconds", "1", "--warmup", "0", "--rate", "1000", "--gates")
	require.Error(t, err)
	assert.Contains(t, text, "FAILS")
	assert.NotEmpty(t, report.Gates)
	assert.Contains(t, strings.ReplaceAll(text, ",", ""), "requests accepted")
	for _, p := range report.Points {
		assert.Empty(t, p.Wrong, "what was measured was right all the same")
	}
}
