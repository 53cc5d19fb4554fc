package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/recount"
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// Patience of a run.
const (
	drainPause  = 50 * time.Millisecond // between looks at a store that drains
	drainStall  = 90 * time.Second      // without a new row, a store will not get any more
	countPause  = time.Second           // between recounts that differ: rollups may follow their rows
	countLimit  = 30 * time.Second      // after which a difference stands; the ledger is written every 10 s
	settleLimit = 5 * time.Second       // merges that go on longer are left to themselves
)

// run is one measurement of an arm.
type run struct {
	*Bench
	arm    *arm
	config stack.Config
	stack  *stack.Stack
	watch  *watch
	prober *prober
	point  *report.Point

	pprof     string // address of the collector's profiles
	profiling chan error

	start, measuring, sent, drained, settled sample
	intervals                                []sender.Interval
	accepted                                 recount.Accepted
}

// measure runs an arm once on a fresh store.
func (b *Bench) measure(ctx context.Context, a *arm) (*report.Point, error) {
	r := &run{Bench: b, arm: a, point: &report.Point{
		Scenario: a.scenario, Arm: a.name, Settings: settings(&a.spec), Notes: slices.Clone(a.notes),
	}}
	if err := r.startStack(); err != nil {
		return nil, err
	}
	measure := (*run).load
	if a.measure != nil {
		measure = func(r *run, ctx context.Context) error { return a.measure(ctx, r) }
	}
	err := measure(r, ctx)
	if err == nil {
		err = r.stack.Restarts()
	}
	if err != nil {
		err = fmt.Errorf("%w\ncollector: %s", err, r.stack.LogEnd("collector"))
	}
	err = errors.Join(err, r.stack.Close())
	return r.point, err
}

func settings(s *sender.Spec) report.Settings {
	set := report.Settings{
		Format: string(s.Workload.Format), Mix: s.Workload.Mix.String(), Connections: s.Connections, Batch: s.Workload.Batch, Rate: s.Rate,
		Projects: max(1, s.Workload.Projects), SpreadDays: s.Workload.SpreadDays,
		Warmup: float64(s.Warmup), Seconds: float64(s.Duration), Seed: s.Workload.Seed,
	}
	if s.Workload.Mix == (workload.Mix{}) {
		set.Mix = "1:0:0"
	}
	if s.BurstEvery > 0 {
		set.Burst = fmt.Sprintf("%g s of every %g s", s.BurstLength, s.BurstEvery)
	}
	return set
}

func (r *run) startStack() error {
	config, err := stack.ReadConfig(r.configDir)
	if err != nil {
		return err
	}
	if r.arm.change != nil {
		if config, err = r.arm.change(config); err != nil {
			return err
		}
	}
	if r.options.Profile != "" {
		if r.pprof, err = profiled(config); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(r.options.Dir, "run-*")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	r.stack, err = stack.Start(stack.Options{
		Trackway: r.self, Collector: r.options.Collector, Library: r.options.Library, Memory: r.options.Memory,
		ConfigDir: r.configDir, Dir: filepath.Clean(dir), Config: config,
	})
	r.config = config
	if err == nil && r.arm.contrib {
		r.stack.Engine.Database = contribDatabase
	}
	return err
}

// load sends, waits until everything is stored, and counts.
func (r *run) load(ctx context.Context) error {
	child, err := stack.StartChild("sender", nil, r.self, "bench", "sender")
	if err != nil {
		return err
	}
	defer child.Stop(stopSender)
	spec := r.arm.spec
	spec.URL = r.arm.url(r.stack)
	var ready sender.Message
	if err := errors.Join(child.Say(spec)); err != nil {
		return err
	}
	if err := child.Hear(&ready); err != nil {
		return err
	}
	if ready.Ready == nil {
		return fmt.Errorf("the sender said %+v before it was ready", ready)
	}
	r.point.BytesPerItem = ready.Ready.BytesPerItem
	if r.Bench.engine == "" {
		if r.Bench.engine, err = engineVersion(ctx, r.stack.Engine); err != nil {
			return err
		}
	}
	if r.watch, err = newWatch(r.stack, child); err != nil {
		return err
	}
	if r.prober, err = newProber(ctx, r.arm.probes, r.stack); err != nil {
		return err
	}
	defer r.prober.close()

	beside, end := context.WithCancel(ctx)
	defer end()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end()
	watching.Go(func() { r.watch.run(beside) })
	if r.start, err = r.watch.now(); err != nil {
		return err
	}
	if err := child.Say("start"); err != nil {
		return err
	}
	probing, endProbes := context.WithCancel(ctx)
	defer endProbes()
	watching.Go(func() { r.prober.run(probing) })
	if err := r.listen(ctx, child); err != nil {
		return err
	}
	if err := r.profiled(); err != nil {
		return err
	}
	endProbes()
	r.prober.wait()
	r.account()
	if err := r.drain(ctx); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.prober.finish()
	end()
	watching.Wait()
	if r.watch.err != nil {
		return r.watch.err
	}
	r.sum()
	if err := r.recount(ctx); err != nil {
		return err
	}
	if r.arm.check != nil {
		r.arm.check(r)
	}
	return nil
}

// stopSender is how long a sender may take to end after its last word.
const stopSender = 10 * time.Second

// listen follows the sender to its result.
func (r *run) listen(ctx context.Context, child *stack.Child) error {
	stop := context.AfterFunc(ctx, func() { _ = child.Stop(stopSender) })
	defer stop()
	for {
		var m sender.Message
		if err := child.Hear(&m); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		var err error
		switch {
		case m.Measuring:
			r.measuring, err = r.watch.now()
			r.profile(ctx)
		case m.Interval != nil:
			r.intervals = append(r.intervals, *m.Interval)
		case m.Sent:
			// Its usage is read before it ends; it waits for nothing more.
			r.sent, err = r.watch.now()
		case m.Result != nil:
			r.point.Sent = *m.Result
			return nil
		}
		if err != nil {
			return err
		}
	}
}

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
		if err := sleep(ctx, drainPause); err != nil {
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
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
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
	before := 0.0
	for _, i := range r.intervals {
		s := r.watch.at(r.start.at.Add(time.Duration(i.At * float64(time.Second))))
		length := max(0.001, i.At-before)
		s.At, s.P50, s.P99 = i.At, i.P50, i.P99
		s.Accepted, s.Refused = float64(i.Accepted)/length, float64(i.Refused)/length
		before = i.At
		p.Series = append(p.Series, s)
	}
	if r.prober != nil {
		p.Visible, p.Tails = r.prober.visible(), r.prober.tails()
	}
}

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
		if err := sleep(ctx, countPause); err != nil {
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

// wrong adds a sentence about what must not be.
func (r *run) wrong(format string, args ...any) {
	r.point.Wrong = append(r.point.Wrong, fmt.Sprintf(format, args...))
}

// hostPort gives host:port of an address with or without scheme and path.
func hostPort(url string) string {
	if _, rest, found := strings.Cut(url, "://"); found {
		url = rest
	}
	host, _, _ := strings.Cut(url, "/")
	return host
}

// sleep waits for d or until ctx ends, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
