package bench

import (
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
)

const mebibyte = 1 << 20

// limit is a figure of one arm of a scenario that must not be passed.
type limit struct {
	name     string
	scenario string
	arm      string
	of       func(p *report.Point, all points) (float64, bool)
	limit    float64
	atLeast  bool
	unit     string
}

// points finds the points of a run.
type points []*report.Point

func (all points) find(scenario, arm string) *report.Point {
	for _, p := range all {
		if p.Scenario == scenario && (arm == "" || p.Arm == arm) {
			return p
		}
	}
	return nil
}

// limits are the figures that a release must keep on two cores.
func limits() []limit {
	figure := func(of func(*report.Point) float64) func(*report.Point, points) (float64, bool) {
		return func(p *report.Point, _ points) (float64, bool) { return of(p), true }
	}
	rate := figure(func(p *report.Point) float64 { return p.EventsPerSecond })
	p99 := figure(func(p *report.Point) float64 { return p.Sent.Latency.P99 })
	rss := figure(func(p *report.Point) float64 { return float64(p.Process("collector").PeakRSS) / mebibyte })
	micros := figure(func(p *report.Point) float64 { return p.Process("collector").MicrosPerEvent })
	otherAnswers := figure(func(p *report.Point) float64 { return float64(p.Sent.All.Failed + p.Sent.All.Refused503) })
	rise := func(of func(*report.Sample) float64) func(*report.Point, points) (float64, bool) {
		return func(p *report.Point, _ points) (float64, bool) {
			share, known := slope(p.Series, of)
			return 100 * share, known
		}
	}
	return []limit{
		{"requests accepted", "events", "", rate, 49_900, true, "/s"},
		{"drain", "events", "", figure(func(p *report.Point) float64 { return p.Drain }), sustainedDrain, false, "s"},
		{"p99 of the answer", "events", "", p99, 20, false, "ms"},
		{"collector memory", "events", "", rss, 200, false, "MiB"},
		{"collector memory under overload", "overload", shippedQueue, rss, 400, false, "MiB"},
		{"answers other than 200 and 429", "overload", shippedQueue, otherAnswers, 0, false, "bodies"},
		{"collector memory under overload, small queue", "overload", smallQueue, rss, 400, false, "MiB"},
		{"answers other than 200 and 429, small queue", "overload", smallQueue, otherAnswers, 0, false, "bodies"},
		{"collector CPU of the upstream exporter's", "contrib", "trackway, no processors", func(p *report.Point, all points) (float64, bool) {
			peer := all.find("contrib", "upstream, file_storage")
			if peer == nil || peer.Process("collector").MicrosPerEvent == 0 {
				return 0, false
			}
			return 100 * p.Process("collector").MicrosPerEvent / peer.Process("collector").MicrosPerEvent, true
		}, 50, false, "%"},
		{"collector CPU, no processors", "cpu", "no processors", micros, 8, false, "µs"},
		{"collector CPU, default processors", "cpu", "default processors", micros, 11, false, "µs"},
		{"small requests accepted", "small", "trackway", figure(func(p *report.Point) float64 { return p.BatchesPerSecond }), 7200, true, "/s"},
		{"p99 of small requests", "small", "trackway", p99, 18, false, "ms"},
		{"small requests over those of file_storage", "small", "trackway", func(p *report.Point, all points) (float64, bool) {
			peer := all.find("small", fileStorageArm)
			if peer == nil || peer.BatchesPerSecond == 0 {
				return 0, false
			}
			return p.BatchesPerSecond / peer.BatchesPerSecond, true
		}, 10, true, "times"},
		{"p95 of the live tail", "tail", "", figure(func(p *report.Point) float64 {
			worst := 0.0
			for _, t := range p.Tails {
				worst = max(worst, t.Answered.P95)
			}
			return worst
		}), 50, false, "ms"},
		{"rise of collector memory", "soak", "", rise(func(s *report.Sample) float64 { return float64(s.RSS["collector"]) }), 10, false, "%"},
		{"rise of engine memory", "soak", "", rise(func(s *report.Sample) float64 { return float64(s.RSS["engine"]) }), 25, false, "%"},
		{"rise of the median answer", "soak", "", rise(func(s *report.Sample) float64 { return s.P50 }), 20, false, "%"},
		{"rise of p99", "soak", "", rise(func(s *report.Sample) float64 { return s.P99 }), 30, false, "%"},
		{"parts of one partition", "soak", "", figure(func(p *report.Point) float64 { return float64(p.PartsPeak) }), 150, false, "parts"},
	}
}

// judge measures the points against the limits of their scenarios.
func judge(all points) []report.Gate {
	var gates []report.Gate
	for _, l := range limits() {
		p := all.find(l.scenario, l.arm)
		if p == nil {
			continue
		}
		measured, known := l.of(p, all)
		if !known {
			continue
		}
		g := report.Gate{Name: l.name, Scenario: l.scenario, Measured: measured, Limit: l.limit, AtLeast: l.atLeast, Unit: l.unit}
		g.Passed = measured <= l.limit
		if l.atLeast {
			g.Passed = measured >= l.limit
		}
		gates = append(gates, g)
	}
	return gates
}
