package bench

import (
	"context"

	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// keysPerItem is how many correlation keys each item of package workload has.
const keysPerItem = 3

// arm is one thing to measure: a collector configuration and what is sent to it.
type arm struct {
	scenario string
	name     string
	// change makes the collector configuration of the arm from the shipped one; nil
	// takes that as it is.
	change func(stack.Config) (stack.Config, error)
	spec   sender.Spec
	// contrib says that rows go to the tables of the upstream exporter.
	contrib bool
	probes  probes
	// projects above 0 send with ingest keys, one each.
	projects int
	// ledger has the delivery ledger compared too, which is written every ten
	// seconds.
	ledger bool
	notes  []string
	// check looks at what was measured for what must not be.
	check func(*run)
	// worth says, of the points of the scenario so far, whether the arm is worth
	// running; nil always is.
	worth func([]*report.Point) bool
	// measure takes the place of sending to a collector.
	measure func(context.Context, *run) error
}

// probes is what is sent beside the load to see it arrive.
type probes int

const (
	visible probes = iota // now and then, until a query shows it
	tailed                // often, until subscribers to the live tail show it
	none
)

// url is where the sender of an arm sends.
func (a *arm) url(s *stack.Stack) string {
	if a.spec.Workload.Format == workload.OTLP {
		return s.URLs.OTLPHTTP
	}
	return "http://" + hostPort(s.URLs.NDJSON)
}
