package bench

import (
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// The arms of overload. The queue that ships takes minutes to fill; the small one
// is full within seconds.
const (
	shippedQueue = "queue as shipped"
	smallQueue   = "queue of 16 MiB"

	smallQueueBytes = 16 << 20
)

func (b *Bench) overload() []*arm {
	spec := b.spec(workload.NDJSON, workload.Mix{}, 64, 1000, 0, 20)
	return []*arm{
		{name: shippedQueue, spec: spec, ledger: true, check: onlyRefusals},
		{name: smallQueue, spec: spec, ledger: true, check: refusals, change: func(c stack.Config) (stack.Config, error) {
			c.Set(smallQueueBytes, "exporters", "clickhouse_rollup", "sending_queue", "queue_size")
			return c, nil
		}},
	}
}

// onlyRefusals wants nothing but acceptance and 429 under overload.
func onlyRefusals(r *run) {
	if n := r.point.Sent.All.Refused503; n > 0 {
		r.wrong("bodies answered 503: want 0, got %d", n)
	}
}

// refusals wants 429 as well: a queue that never fills shows nothing.
func refusals(r *run) {
	onlyRefusals(r)
	if r.point.Sent.All.Refused429 == 0 {
		r.wrong("bodies answered 429: want some, got none: was there enough to fill the queue?")
	}
}
