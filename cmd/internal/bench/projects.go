package bench

import (
	"fmt"

	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// manyProjects is the other end from one.
const manyProjects = 1000

// projects sends OTLP, which can say a project itself where nothing overwrites it.
func (b *Bench) projects() []*arm {
	change := func(c stack.Config) (stack.Config, error) {
		c.Processors("request_redaction", "correlation")
		return c, nil
	}
	var arms []*arm
	for _, n := range []int{2, manyProjects} {
		spec := b.spec(workload.OTLP, workload.Mix{}, 16, 500, 10_000, 15)
		spec.Workload.Projects = n
		arms = append(arms, &arm{
			name: fmt.Sprintf("%d projects", n), spec: spec, change: change, probes: none,
			notes: []string{"without the project processor: the sender names the project in trackway.project, each body another"},
			check: func(r *run) {
				if got := r.point.Tables.Projects; got != int64(n) && r.point.Sent.All.BatchesAccepted >= int64(n) {
					r.wrong("projects in the store: want %d, got %d", n, got)
				}
			},
		})
	}
	return arms
}
