package bench

import (
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// soakRate is half of what two cores sustain, in items a second; --rate sets it.
const soakRate = 15_000

func (b *Bench) soak() []*arm {
	return []*arm{{name: "trackway", spec: b.spec(workload.NDJSON, mix, 16, 500, soakRate, 3600)}}
}

// slope fits a line through what was measured, leaving out the first fifth, and
// gives its rise over the rest, divided by the mean: 0.1 is a tenth more at the end
// than at the beginning. Fewer than three samples have no slope.
func slope(samples []report.Sample, of func(*report.Sample) float64) (rise float64, known bool) {
	samples = samples[len(samples)/5:]
	if len(samples) < 3 {
		return 0, false
	}
	var n, sx, sy, sxx, sxy float64
	for i := range samples {
		x, y := samples[i].At, of(&samples[i])
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	mean := sy / n
	rise = (n*sxy - sx*sy) / (n*sxx - sx*sx) * (samples[len(samples)-1].At - samples[0].At)
	if mean == 0 {
		return 0, true
	}
	return rise / mean, true
}
