package bench

import (
	"fmt"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

func (b *Bench) sweep() []*arm {
	var arms []*arm
	for _, connections := range []int{1, 4, 16, 64} {
		for _, batch := range []int{1, 50, 500, 2000} {
			arms = append(arms, &arm{
				name: fmt.Sprintf("%d × %d", connections, batch),
				spec: b.spec(workload.NDJSON, workload.Mix{}, connections, batch, 0, 5),
			})
		}
	}
	return arms
}
