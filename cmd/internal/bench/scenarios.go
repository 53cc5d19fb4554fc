package bench

import (
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// scenario is a question and the arms that answer it.
type scenario struct {
	name  string
	about string
	arms  func(*Bench) []*arm
}

// Scenario is a scenario as it is listed.
type Scenario struct{ Name, About string }

// Scenarios lists what can be run, in order.
func Scenarios() (list []Scenario) {
	for _, s := range scenarios() {
		list = append(list, Scenario{s.name, s.about})
	}
	return list
}

// Default is what runs without --scenario: minutes, and every gate has its figure.
var Default = []string{"events", "mix", "overload", "cpu", "contrib", "small", "tail"}

func scenarios() []scenario {
	return []scenario{
		{"events", "50,000 requests a second in bodies of 500, open loop, as `up` is configured", (*Bench).events},
		{"mix", "1 request : 4 spans : 1 event as fast as it is taken, NDJSON and OTLP", (*Bench).mix},
		{"overload", "64 senders of 1,000 items in a closed loop, with the queue as shipped and with one that fills: refusals, memory, drain", (*Bench).overload},
		{"cpu", "NDJSON in to block sent: the collector's CPU with and without redaction and correlation", (*Bench).cpu},
		{"contrib", "the same OTLP traffic through our exporter and the upstream one", (*Bench).contrib},
		{"small", "64 senders of single requests, durable", (*Bench).small},
		{"tail", "live tail at 10,000 requests a second, through collector and query server", (*Bench).tail},
		{"engine", "the bare engine fed Native and JSONEachRow, into the same tables", (*Bench).bareEngine},
		{"sustained", "rising rates, open loop, until the store does not keep up", (*Bench).sustained},
		{"saturation", "requests as fast as they are taken, closed loop", (*Bench).saturation},
		{"sweep", "concurrency and batch size, closed loop", (*Bench).sweep},
		{"burst", "what is due in four seconds offered in one, open loop", (*Bench).burst},
		{"projects", "ingest keys of one project and of 1,000", (*Bench).projects},
		{"spread", "times in order and spread over 29 days", (*Bench).spread},
		{"soak", "half of what is sustained, for an hour: memory, latency and parts stay flat", (*Bench).soak},
	}
}

func find(name string) *scenario {
	for _, s := range scenarios() {
		if s.name == name {
			return &s
		}
	}
	return nil
}

func names() (list []string) {
	for _, s := range scenarios() {
		list = append(list, s.name)
	}
	return list
}

var mix = workload.Mix{Requests: 1, Spans: 4, Events: 1}

// spec is what all senders have in common.
func (b *Bench) spec(format workload.Format, m workload.Mix, connections, batch int, rate, seconds float64) sender.Spec {
	s := sender.Spec{
		Workload:    workload.Options{Seed: b.options.Seed, Format: format, Mix: m, Batch: batch},
		Connections: connections, Rate: rate, Warmup: 3, Duration: sender.Seconds(seconds),
	}
	if b.options.Seconds > 0 {
		s.Duration = sender.Seconds(b.options.Seconds)
	}
	if b.options.Warmup >= 0 {
		s.Warmup = sender.Seconds(b.options.Warmup)
	}
	if b.options.Rate > 0 && rate > 0 {
		s.Rate = b.options.Rate
	}
	return s
}

func (b *Bench) events() []*arm {
	return []*arm{{name: "trackway", ledger: true, spec: b.spec(workload.NDJSON, workload.Mix{}, 32, 500, 50_000, 20)}}
}

func (b *Bench) mix() []*arm {
	return []*arm{
		{name: "ndjson", spec: b.spec(workload.NDJSON, mix, 16, 500, 0, 15)},
		{name: "otlp", spec: b.spec(workload.OTLP, mix, 16, 500, 0, 15)},
	}
}

func (b *Bench) saturation() []*arm {
	return []*arm{
		{name: "ndjson", spec: b.spec(workload.NDJSON, workload.Mix{}, 16, 500, 0, 15)},
		{name: "otlp", spec: b.spec(workload.OTLP, workload.Mix{}, 16, 500, 0, 15)},
	}
}

func (b *Bench) cpu() []*arm {
	// Below saturation, so that nothing but the work itself is counted.
	spec := b.spec(workload.NDJSON, workload.Mix{}, 8, 500, 15_000, 10)
	return []*arm{
		{name: "no processors", spec: spec, change: func(c stack.Config) (stack.Config, error) {
			c.Processors("project")
			return c, nil
		}},
		{name: "default processors", spec: spec},
	}
}

func (b *Bench) tail() []*arm {
	return []*arm{{name: "trackway", probes: tailed, spec: b.spec(workload.NDJSON, workload.Mix{}, 16, 100, 10_000, 15)}}
}

func (b *Bench) burst() []*arm {
	spec := b.spec(workload.NDJSON, workload.Mix{}, 64, 500, 10_000, 20)
	spec.BurstEvery, spec.BurstLength = 4, 1
	return []*arm{{name: "trackway", spec: spec}}
}

func (b *Bench) spread() []*arm {
	ordered := b.spec(workload.NDJSON, workload.Mix{}, 16, 500, 10_000, 15)
	spread := ordered
	spread.Workload.SpreadDays = 29
	return []*arm{{name: "ordered", spec: ordered}, {name: "29 days", spec: spread}}
}
