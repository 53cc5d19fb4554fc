package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

// What is sent while queries are asked: requests to the same project.
const (
	ingestConnections = 16
	ingestBatch       = 500
	ingestWarmup      = 5 // seconds
	stopSender        = 10 * time.Second
)

// Ingest is what was sent beside the queries.
type Ingest struct {
	Offered float64       `json:"offered_per_second"`
	Sent    sender.Result `json:"sent"`
	// Merges is how many merges ended meanwhile.
	Merges int64 `json:"merges"`
}

// underIngest asks while items come in.
func (r *run) underIngest(ctx context.Context, out *Report) (err error) {
	child, err := stack.StartChild("sender", nil, r.self, "bench", "sender")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, child.Stop(stopSender)) }()
	_, address, _ := strings.Cut(r.stack.URLs.NDJSON, "://")
	address, _, _ = strings.Cut(address, "/")
	seconds := sender.Seconds(r.options.Minutes * 60)
	spec := sender.Spec{
		Workload: workload.Options{Seed: r.options.Seed, Format: workload.NDJSON, Batch: ingestBatch}, URL: "http://" + address,
		Connections: ingestConnections, Rate: r.options.UnderIngest, Warmup: ingestWarmup, Duration: seconds,
	}
	if err := child.Say(spec); err != nil {
		return err
	}
	var ready sender.Message
	if err := child.Hear(&ready); err != nil {
		return err
	}
	if ready.Ready == nil {
		return fmt.Errorf("the sender said %+v before it was ready", ready)
	}
	before, err := merges(ctx, r.stack.Engine)
	if err != nil {
		return err
	}
	if err := child.Say("start"); err != nil {
		return err
	}
	until, end := context.WithCancel(ctx)
	defer end()
	started, result, problem := make(chan struct{}), (*sender.Result)(nil), error(nil)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer end()
		result, problem = listen(child, started)
	}()
	select {
	case <-started:
	case <-finished:
	}
	over := time.Now().UTC().Add(seconds.Duration())
	results, err := r.arm(ctx, until, armIngest, max(r.options.Repeat, ingestRounds(r.options.Minutes)), over, nil)
	end()
	stop := context.AfterFunc(ctx, func() { _ = child.Stop(stopSender) })
	defer stop()
	<-finished
	if err := errors.Join(err, problem); err != nil {
		return err
	}
	after, err := merges(ctx, r.stack.Engine)
	if err != nil {
		return err
	}
	out.Results = append(out.Results, results...)
	out.Ingest = &Ingest{Offered: r.options.UnderIngest, Sent: *result, Merges: after - before}
	return nil
}

// ingestRounds is more rounds than fit into so many minutes of ingest: the end of
// the ingest ends them.
func ingestRounds(minutes float64) int { return min(int(minutes*60)+1, maxRepeat) }

// listen follows the sender to its result.
func listen(child *stack.Child, started chan<- struct{}) (*sender.Result, error) {
	for {
		var m sender.Message
		if err := child.Hear(&m); err != nil {
			return nil, err
		}
		switch {
		case m.Measuring:
			close(started)
		case m.Result != nil:
			return m.Result, nil
		}
	}
}

// merges is how many the engine has done since it started.
func merges(ctx context.Context, e clickhouse.Endpoint) (int64, error) {
	rows, err := clickhouse.Ask[struct{ N int64 }](ctx, e, "SELECT toInt64(sum(value)) AS N FROM system.events WHERE event = 'Merge'")
	if err != nil || len(rows) != 1 {
		return 0, fmt.Errorf("merges: %w", err)
	}
	return rows[0].N, nil
}
