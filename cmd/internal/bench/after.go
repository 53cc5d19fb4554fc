package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/recount"
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/internal/pause"
)

// Patience with a store after the last answer.
const (
	drainPause  = 50 * time.Millisecond // between looks at a store that drains
	drainStall  = 90 * time.Second      // without a new row, a store will not get any more
	countPause  = time.Second           // between recounts that differ: rollups may follow their rows
	countLimit  = 30 * time.Second      // after which a difference stands; the ledger is written every 10 s
	settleLimit = 5 * time.Second       // merges that go on longer are left to themselves
)

// account adds up what the store must hold.
func (r *run) account() {
	all, probed, unknown := &r.point.Sent.All, r.prober.accepted(), r.prober.unknown()
	r.accepted = recount.Accepted{
		Requests: all.Requests + probed, Spans: all.Spans, Events: all.Events,
		Keys:    keysPerItem*all.ItemsAccepted + probed,
		Unknown: all.ItemsUnknown + unknown, UnknownKeys: keysPerItem*all.ItemsUnknown + unknown,
	}
}

// drain waits until everything accepted is stored.
func (r *run) drain(ctx context.Context) error {
	want := recount.Rows{Records: r.accepted.Items(), Journey: r.accepted.Keys}
	if r.arm.contrib {
		want.Journey = 0
	}
	last, moved := recount.Rows{}, time.Now()
	for {
		stored, err := recount.Stored(ctx, r.stack.Engine)
		if err != nil {
			return err
		}
		if stored != last {
			last, moved = stored, time.Now()
		}
		if stored.Records >= want.Records && stored.Journey >= want.Journey || time.Since(moved) > drainStall {
			break // what is missing is counted later
		}
		if err := pause.For(ctx, drainPause); err != nil {
			return err
		}
	}
	var err error
	r.drained, err = r.watch.now()
	r.point.Drain = r.drained.at.Sub(r.sent.at).Seconds()
	return err
}

// settle waits for the merges that follow.
func (r *run) settle(ctx context.Context) error {
	for begin := time.Now(); time.Since(begin) < settleLimit; {
		parts, err := recount.CountParts(ctx, r.stack.Engine)
		if err != nil {
			return err
		}
		r.point.Parts = parts
		if parts.Merges == 0 {
			break
		}
		if err := pause.For(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	var err error
	r.settled, err = r.watch.now()
	return err
}

// sum turns what was seen into the figures of the point.
func (r *run) sum() {
	p, all := r.point, &r.point.Sent.All
	measured := &p.Sent.Measured
	p.EventsPerSecond = float64(measured.ItemsAccepted) / p.Sent.Seconds
	p.StoredPerSecond = float64(all.ItemsAccepted) / r.drained.at.Sub(r.start.at).Seconds()
	p.BatchesPerSecond = float64(measured.BatchesAccepted) / p.Sent.Seconds
	p.PartsPeak = r.watch.peak
	if r.measuring.usage == nil {
		r.measuring = r.start
	}
	perEvent := func(used time.Duration) float64 {
		return float64(used.Nanoseconds()) / 1000 / float64(max(1, all.ItemsAccepted))
	}
	for _, name := range []string{"sender", "collector", "engine", "query", "bench"} {
		if _, found := r.watch.pids[name]; !found {
			continue
		}
		until, settled := r.drained, r.settled
		if name == "sender" {
			until, settled = r.sent, r.sent
		}
		used := report.Process{Name: name, PeakRSS: until.usage[name].Peak}
		used.MicrosPerEvent = perEvent(until.usage[name].CPU - r.start.usage[name].CPU)
		used.MicrosSettled = perEvent(settled.usage[name].CPU - r.start.usage[name].CPU)
		used.MeanRSS, used.Cores = r.watch.between(name, r.measuring, r.sent)
		p.Processes = append(p.Processes, used)
	}
	p.OtherCores, p.StolenCores = r.watch.others(r.measuring, r.sent)
	before := 0.0
	for _, i := range r.intervals {
		s := r.watch.at(r.start.at.Add(time.Duration(i.At * float64(time.Second))))
		length := i.At - before
		if length < leastInterval {
			continue // the rest of a second says little about a rate
		}
		s.At, s.P50, s.P99 = i.At, i.P50, i.P99
		s.Accepted, s.Refused = float64(i.Accepted)/length, float64(i.Refused)/length
		before = i.At
		p.Series = append(p.Series, s)
	}
	if r.prober != nil {
		p.Visible, p.Tails = r.prober.visible(), r.prober.tails()
	}
}

// leastInterval is the shortest interval that makes a sample, in seconds.
const leastInterval = 0.5

// recount compares the store with what was accepted.
func (r *run) recount(ctx context.Context) error {
	p := r.point
	var wrong []string
	for begin := time.Now(); ; {
		var err error
		if wrong, err = r.compare(ctx); err != nil {
			return err
		}
		if len(wrong) == 0 || time.Since(begin) > countLimit {
			break
		}
		if err := pause.For(ctx, countPause); err != nil {
			return err
		}
	}
	p.Wrong = append(p.Wrong, wrong...)
	if rejected := p.Sent.All.ItemsRejected; rejected > 0 {
		p.Wrong = append(p.Wrong, fmt.Sprintf("rejected items: want 0, got %d", rejected))
	}
	if p.Sent.All.Failed > 0 {
		p.Wrong = append(p.Wrong, fmt.Sprintf("bodies that failed: want 0, got %d: %s", p.Sent.All.Failed, strings.Join(p.Sent.Samples, "; ")))
	}
	if p.Sent.All.ItemsAccepted == 0 {
		p.Wrong = append(p.Wrong, "nothing was accepted")
	}
	return nil
}

// compare counts the tables once and says what differs.
func (r *run) compare(ctx context.Context) ([]string, error) {
	stored, err := recount.Stored(ctx, r.stack.Engine)
	if err != nil {
		return nil, err
	}
	r.point.Rows = stored.Records
	if r.arm.contrib {
		tables, err := recount.CountContrib(ctx, r.stack.Engine)
		return tables.Check(r.accepted), err
	}
	tables, err := recount.Count(ctx, r.stack.Engine)
	if err != nil {
		return nil, err
	}
	r.point.Tables = &tables
	wrong := tables.Check(r.accepted)
	if !r.arm.ledger || !r.config.Has("extensions", "ledger") {
		return wrong, nil
	}
	ledger, err := recount.CountLedger(ctx, r.stack.Engine)
	if err != nil {
		return nil, err
	}
	r.point.Ledger = &ledger
	return append(wrong, ledger.Check(r.accepted, tables)...), nil
}
