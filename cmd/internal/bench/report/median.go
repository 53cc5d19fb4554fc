package report

import (
	"cmp"
	"slices"

	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
)

// Median makes one point of the runs of an arm: each figure is the median of its
// own, counts and series are those of the run in the middle, and whatever was
// wrong in any run is wrong.
func Median(runs []*Point) *Point {
	if len(runs) == 1 {
		return runs[0]
	}
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b *Point) int { return cmp.Compare(a.EventsPerSecond, b.EventsPerSecond) })
	m := *sorted[len(sorted)/2]
	m.Wrong, m.Processes, m.Tails, m.Runs = nil, nil, nil, nil
	of := func(figure func(*Point) float64) float64 { return median(runs, figure) }
	m.EventsPerSecond = of(func(p *Point) float64 { return p.EventsPerSecond })
	m.StoredPerSecond = of(func(p *Point) float64 { return p.StoredPerSecond })
	m.BatchesPerSecond = of(func(p *Point) float64 { return p.BatchesPerSecond })
	m.OtherCores = of(func(p *Point) float64 { return p.OtherCores })
	m.StolenCores = of(func(p *Point) float64 { return p.StolenCores })
	m.Drain = of(func(p *Point) float64 { return p.Drain })
	m.PartsPeak = int64(of(func(p *Point) float64 { return float64(p.PartsPeak) }))
	m.Sent.Latency = latencies(runs, func(p *Point) *sender.Latency { return &p.Sent.Latency })
	m.Sent.Response = latencies(runs, func(p *Point) *sender.Latency { return &p.Sent.Response })
	if m.Visible != nil {
		l := latencies(runs, func(p *Point) *sender.Latency { return p.Visible })
		m.Visible = &l
	}
	for i, tail := range runs[0].Tails {
		at := func(pick func(*Tail) *sender.Latency) sender.Latency {
			return latencies(runs, func(p *Point) *sender.Latency {
				if i >= len(p.Tails) {
					return nil
				}
				return pick(&p.Tails[i])
			})
		}
		tail.Answered = at(func(t *Tail) *sender.Latency { return &t.Answered })
		tail.SentAt = at(func(t *Tail) *sender.Latency { return &t.SentAt })
		m.Tails = append(m.Tails, tail)
	}
	for _, process := range runs[0].Processes {
		name := process.Name
		process.MicrosPerEvent = of(func(p *Point) float64 { return p.Process(name).MicrosPerEvent })
		process.MicrosSettled = of(func(p *Point) float64 { return p.Process(name).MicrosSettled })
		process.Cores = of(func(p *Point) float64 { return p.Process(name).Cores })
		process.PeakRSS = int64(of(func(p *Point) float64 { return float64(p.Process(name).PeakRSS) }))
		process.MeanRSS = int64(of(func(p *Point) float64 { return float64(p.Process(name).MeanRSS) }))
		m.Processes = append(m.Processes, process)
	}
	for _, p := range runs {
		m.Wrong = append(m.Wrong, p.Wrong...)
		run := *p
		run.Series = nil
		m.Runs = append(m.Runs, &run)
	}
	return &m
}

// latencies takes the median of each percentile; runs without one are left out.
func latencies(runs []*Point, of func(*Point) *sender.Latency) sender.Latency {
	var have []*sender.Latency
	for _, p := range runs {
		if l := of(p); l != nil {
			have = append(have, l)
		}
	}
	at := func(figure func(*sender.Latency) float64) float64 { return median(have, figure) }
	return sender.Latency{
		Count: int64(at(func(l *sender.Latency) float64 { return float64(l.Count) })),
		Mean:  at(func(l *sender.Latency) float64 { return l.Mean }),
		P50:   at(func(l *sender.Latency) float64 { return l.P50 }),
		P90:   at(func(l *sender.Latency) float64 { return l.P90 }),
		P95:   at(func(l *sender.Latency) float64 { return l.P95 }),
		P99:   at(func(l *sender.Latency) float64 { return l.P99 }),
		P999:  at(func(l *sender.Latency) float64 { return l.P999 }),
		Max:   at(func(l *sender.Latency) float64 { return l.Max }),
	}
}

// median of a figure; of an even number of runs, the mean of the two in the middle.
func median[T any](runs []T, figure func(T) float64) float64 {
	if len(runs) == 0 {
		return 0
	}
	values := make([]float64, 0, len(runs))
	for _, r := range runs {
		values = append(values, figure(r))
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
