package bench

import (
	"fmt"
	"strings"

	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// ladder are the rates that are tried, in items a second.
var ladder = []float64{10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 100_000, 120_000}

// What it means to keep up with a rate: accepting it is not enough where the work
// is put off.
const (
	sustainedShare = 0.99 // of what was offered
	sustainedDrain = 3.0  // seconds
)

// sustained climbs the ladder until the store does not keep up.
func (b *Bench) sustained() []*arm {
	var arms []*arm
	for _, load := range []struct {
		name   string
		format workload.Format
		mix    workload.Mix
	}{
		{"requests", workload.NDJSON, workload.Mix{}},
		{"mix", workload.NDJSON, mix},
		{"mix, OTLP", workload.OTLP, mix},
	} {
		for _, rate := range ladder {
			spec := b.spec(load.format, load.mix, 32, 500, rate, 10)
			spec.Rate = rate // --rate would make one step of the ladder
			arms = append(arms, &arm{
				name: fmt.Sprintf("%s, %.0fk/s", load.name, rate/1000), spec: spec,
				worth: func(before []*report.Point) bool { return keepsUp(load.name+", ", before) },
			})
		}
	}
	return arms
}

// keepsUp says whether every rate of a ladder so far was sustained.
func keepsUp(prefix string, points []*report.Point) bool {
	for _, p := range points {
		if !strings.HasPrefix(p.Arm, prefix) || strings.Contains(p.Arm[len(prefix):], ",") {
			continue
		}
		if p.EventsPerSecond < sustainedShare*p.Settings.Rate || p.Drain > sustainedDrain {
			return false
		}
	}
	return true
}
