package bench

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// queries is the part of a JSON report that is looked at.
type queries struct {
	Set struct {
		Rows    int64
		Settled bool
	}
	Results []struct {
		Query, Arm, Sample string
		Wrong, Refused     int64
		Hits               float64
		Latency            struct{ Count int64 }
	}
}

// A set of 20,000 requests is counted again from its generator, so every listing,
// journey and figure is compared with what it must find.
func TestQueriesFindWhatTheSetHolds(t *testing.T) {
	dir := t.TempDir()
	set, file := filepath.Join(dir, "set"), filepath.Join(dir, "report.json")
	bench := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		out, err := exec.CommandContext(ctx, harness.Trackway(t), append([]string{
			"bench", "query", "--rows", "20k", "--data", set, "--config-dir", filepath.Join(harness.Root(t), "config"),
			"--collector", harness.Collector(t), "--library", harness.Library(t),
		}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	bench("--build-only")
	manifest, err := os.ReadFile(filepath.Join(set, "reference.json"))
	require.NoError(t, err)

	out := bench("--repeat", "2", "--raw-repeat", "1", "--cold-repeat", "1", "--json", file)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var report queries
	require.NoError(t, json.Unmarshal(content, &report))
	assert.True(t, report.Set.Settled)
	hits := map[string]float64{}
	arms := map[string]int{}
	for _, r := range report.Results {
		assert.Zero(t, r.Wrong, "%s, %s: %s", r.Query, r.Arm, r.Sample)
		assert.Positive(t, r.Latency.Count, "%s, %s", r.Query, r.Arm)
		arms[r.Arm]++
		if r.Arm == "warm" {
			hits[r.Query] = r.Hits
		}
	}
	for _, name := range []string{"rare-status", "rare-attribute", "rare-key", "free-text"} {
		assert.EqualValues(t, 50, hits[name], name)
	}
	for _, name := range []string{"empty-status", "empty-attribute", "free-text-none", "empty-key", "empty-combination"} {
		assert.Zero(t, hits[name], name)
		assert.Contains(t, hits, name)
	}
	for _, arm := range []string{"warm", "condition cache", "cold", "no planner"} {
		assert.Greater(t, arms[arm], 25, arm)
	}
	assert.Contains(t, out, "rare-status")

	after, err := os.ReadFile(filepath.Join(set, "reference.json"))
	require.NoError(t, err)
	assert.Equal(t, string(manifest), string(after), "measuring leaves the set as it is")
	left, err := filepath.Glob(set + "-run-*")
	require.NoError(t, err)
	assert.Empty(t, left, "the copy is removed")
}
