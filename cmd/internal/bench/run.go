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
		Projects: 1, SpreadDays: s.Workload.SpreadDays,
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
func (r *run) load(ctx context.Context) (err error) {
	child, err := stack.StartChild("sender", nil, r.self, "bench", "sender")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, child.Stop(stopSender)) }()
	spec := r.arm.spec
	spec.URL = r.arm.url(r.stack)
	if r.arm.projects > 0 {
		if spec.Keys, err = r.makeKeys(ctx, r.arm.projects); err != nil {
			return err
		}
		r.point.Settings.Projects = r.arm.projects
	}
	var ready sender.Message
	if err := child.Say(spec); err != nil {
		return err
	}
	if err := child.Hear(&ready); err != nil {
		return err
	}
	if ready.Ready == nil {
		return fmt.Errorf("the sender said %+v before it was ready", ready)
	}
	r.point.BytesPerItem = ready.Ready.BytesPerItem
	if r.engine == "" {
		if r.engine, err = engineVersion(ctx, r.stack.Engine); err != nil {
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
