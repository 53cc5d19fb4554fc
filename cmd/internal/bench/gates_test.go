package bench

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
)

func samples(of func(i int) float64) (list []report.Sample) {
	for i := range 100 {
		list = append(list, report.Sample{At: float64(i + 1), P50: of(i)})
	}
	return list
}

func p50(s *report.Sample) float64 { return s.P50 }

func TestSlope(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(int) float64
		want float64
	}{
		"flat":                      {func(int) float64 { return 5 }, 0},
		"noise":                     {func(i int) float64 { return 5 + float64(i%2) }, 0},
		"the beginning is left out": {func(i int) float64 { return float64(max(0, 20-i)*100 + 5) }, 0},
		"rising to the double":      {func(i int) float64 { return 100 + float64(i) }, 79.0 / 159.5},
		"nothing at all":            {func(int) float64 { return 0 }, 0},
	} {
		rise, known := slope(samples(c.of), p50)
		require.True(t, known, name)
		assert.InDelta(t, c.want, rise, 0.01, name)
	}
	_, known := slope(samples(func(int) float64 { return 1 })[:2], p50)
	assert.False(t, known, "too few to tell")
}

func measured(scenario, arm string, micros float64) *report.Point {
	return &report.Point{Scenario: scenario, Arm: arm, Processes: []report.Process{{Name: "collector", MicrosPerEvent: micros}}}
}

func TestGatesCompareArms(t *testing.T) {
	all := []*report.Point{measured("contrib", "trackway, no processors", 4), measured("contrib", "trackway", 6), measured("contrib", "upstream, file_storage", 10)}
	gates := judge(all)
	require.Len(t, gates, 1)
	assert.InDelta(t, 40, gates[0].Measured, 1e-9)
	assert.True(t, gates[0].Passed)
	all[0].Processes[0].MicrosPerEvent = 5.1
	assert.False(t, judge(all)[0].Passed)
	assert.Empty(t, judge(all[:2]), "without a peer there is nothing to compare")
}

func TestGatesLookAtBothSides(t *testing.T) {
	p := measured("events", "trackway", 1)
	p.EventsPerSecond, p.Sent = 49_000, sender.Result{Latency: sender.Latency{P99: 19}}
	verdicts := map[string]bool{}
	for _, g := range judge([]*report.Point{p}) {
		verdicts[g.Name] = g.Passed
	}
	assert.Equal(t, map[string]bool{"requests accepted": false, "drain": true, "p99 of the answer": true, "collector memory": true}, verdicts)
}

func TestEveryGateHasAScenario(t *testing.T) {
	for _, l := range limits() {
		require.NotNil(t, find(l.scenario), l.name)
		b := &Bench{options: Options{Warmup: -1}}
		found := l.arm == ""
		for _, a := range find(l.scenario).arms(b) {
			found = found || a.name == l.arm
		}
		assert.True(t, found, "%s names arm %q", l.name, l.arm)
	}
}

func TestEverySpecIsValid(t *testing.T) {
	b := &Bench{options: Options{Warmup: -1, Seed: 1}}
	for _, s := range scenarios() {
		for _, a := range s.arms(b) {
			spec := a.spec
			spec.URL = "http://127.0.0.1:1"
			require.NoError(t, spec.Validate(), "%s, %s", s.name, a.name)
			spec.Workload.Bodies = 1
			require.NoError(t, spec.Workload.Validate(), "%s, %s", s.name, a.name)
		}
	}
	for _, name := range Default {
		assert.NotNil(t, find(name), name)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Repeat: 1}
	require.NoError(t, good.Validate())
	for want, change := range map[string]func(*Options){
		"--repeat: want 1 to 100, got 0":                       func(o *Options) { o.Repeat = 0 },
		"--seconds: want 0 to 86400, got -1":                   func(o *Options) { o.Seconds = -1 },
		"--rate: want 0 to 10000000 items a second, got 1e+09": func(o *Options) { o.Rate = 1e9 },
	} {
		o := good
		change(&o)
		assert.EqualError(t, o.Validate(), want)
	}
	good.Scenarios = []string{"events", "evnts"}
	assert.ErrorContains(t, good.Validate(), `got "evnts"`)
}

func TestALadderEndsWhereTheStoreFallsBehind(t *testing.T) {
	step := func(arm string, offered, accepted, drain float64) *report.Point {
		return &report.Point{Arm: arm, Settings: report.Settings{Rate: offered}, EventsPerSecond: accepted, Drain: drain}
	}
	assert.True(t, keepsUp("mix, ", nil))
	assert.True(t, keepsUp("mix, ", []*report.Point{step("mix, 10k/s", 10_000, 9_990, 0.5)}))
	assert.False(t, keepsUp("mix, ", []*report.Point{step("mix, 10k/s", 10_000, 9_990, 8)}), "accepted, but put off")
	assert.False(t, keepsUp("mix, ", []*report.Point{step("mix, 10k/s", 10_000, 9_000, 0.5)}))
	assert.True(t, keepsUp("mix, ", []*report.Point{step("requests, 10k/s", 10_000, 9_000, 0.5), step("mix, OTLP, 10k/s", 10_000, 1, 9)}), "others do not count")
}
