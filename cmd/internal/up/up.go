package up

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/thejerf/suture/v4"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// Run starts everything, prints where to reach it, and keeps it running until
// ctx ends. Then it stops the children in order and returns nil. An error means
// that something could not be started; nothing is left running either way.
func Run(ctx context.Context, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	in, err := locate(o)
	if err != nil {
		return err
	}
	if err := checkCPU(); err != nil {
		return err
	}
	data, err := openDataDir(o.DataDir)
	if err != nil {
		return err
	}
	defer data.close()
	if err := waitForLeftovers(ctx, data); err != nil {
		return err
	}
	password, err := data.secret(PasswordFile, "the engine's password")
	if err != nil {
		return err
	}
	token, err := data.secret(TokenFile, "the token between collectors and query server")
	if err != nil {
		return err
	}
	if err := o.Addresses.settle(ctx); err != nil {
		return err
	}

	s := &stack{
		options: o,
		install: in,
		data:    data,
		env:     append(environ(data, o.Addresses, password, token), budgetEnv(o.DiskBudget)...),
		spawn:   newSpawner(),
		log:     slog.New(slog.NewTextHandler(o.Log, nil)),
		board: &board{path: data.join(StatusFile), s: Status{
			PID: os.Getpid(), Version: o.Version, DataDir: data.path,
			StartedAt: time.Now().UTC(), URLs: o.Addresses.urls(), Metadata: metadata.DescribeDSN(metadataDSN(data)),
		}},
	}
	defer s.spawn.stop()
	err = s.run(ctx)
	err = errors.Join(err, s.stop())
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// stack is the set of running children.
type stack struct {
	options Options
	install install
	data    *dataDir
	env     []string
	spawn   *spawner
	board   *board
	log     *slog.Logger

	running []*supervised // in the order of their start
}

// supervised is a child with the supervisor that restarts it. Each child has a
// supervisor of its own, so that the backoff of one that keeps failing never
// delays another, and each can be stopped in its turn.
type supervised struct {
	*child
	cancel   context.CancelFunc
	done     <-chan error
	follower sync.WaitGroup // copies the log, until unfollow is called
	unfollow context.CancelFunc
}

// run starts the children one after the other, each when the one it needs
// answers, and returns when ctx ends or one does not start.
func (s *stack) run(ctx context.Context) error {
	for _, c := range s.children() {
		r, err := s.start(c)
		if err != nil {
			return err
		}
		if c.background {
			continue
		}
		if err := s.waitReady(ctx, r); err != nil {
			return err
		}
	}
	if err := s.board.update(func(st *Status) { st.Ready = true }); err != nil {
		return err
	}
	if err := s.announce(); err != nil {
		return err
	}
	s.watchRoom(ctx)
	return nil
}

// start gives the child a log and a supervisor. The supervisor's context is not
// derived from Run's: children are stopped in order, not all at once.
func (s *stack) start(c *child) (*supervised, error) {
	var err error
	c.log, err = openLogFile(filepath.Join(s.data.run(), c.name+".log"))
	if err != nil {
		return nil, err
	}
	c.env, c.spawn, c.board = append(slices.Clone(s.env), c.env...), s.spawn, s.board
	c.ready, c.ended = make(chan struct{}), make(chan string, 1)
	c.warn = func(err error) { s.log.Warn("supervision", "child", c.name, "error", err) }

	ctx, cancel := context.WithCancel(context.Background())
	supervisor := suture.New(c.name, suture.Spec{
		FailureThreshold: 3,
		FailureDecay:     30, // seconds
		FailureBackoff:   2 * time.Second,
		Timeout:          c.stopLimit + 10*time.Second,
		EventHook:        s.event,
	})
	supervisor.Add(c)
	followed, unfollow := context.WithCancel(context.Background())
	r := &supervised{child: c, cancel: cancel, unfollow: unfollow}
	if s.options.Verbose {
		r.follower.Go(func() { c.log.follow(followed, fmt.Sprintf("%-9s | ", c.name), s.options.Log) })
	}
	r.done = supervisor.ServeBackground(ctx)
	s.running = append(s.running, r)
	return r, nil
}

// event reports what the supervisors do once everything has started; until then
// a child that ends is the error of Run.
func (s *stack) event(e suture.Event) {
	if !s.board.snapshot().Ready {
		return
	}
	switch e := e.(type) {
	case suture.EventServiceTerminate:
		if e.Restarting {
			s.log.Warn("starting it again", "child", e.ServiceName, "reason", e.Err)
		} else {
			s.log.Warn("waiting before starting it again", "child", e.ServiceName, "reason", e.Err)
		}
	case suture.EventStopTimeout, suture.EventServicePanic:
		s.log.Error("supervision", "event", e.String())
	}
}

// waitReady waits for the first answer of a child. A child that ends before it
// ever answered fails the start. (The engine itself waits for the store's lock.)
func (s *stack) waitReady(ctx context.Context, r *supervised) error {
	reminder := time.NewTicker(15 * time.Second)
	defer reminder.Stop()
	for {
		select {
		case <-r.ready:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-reminder.C:
			s.log.Info("still starting", "child", r.name, "log", r.log.path)
		case line := <-r.ended:
			return fmt.Errorf("the %s did not start: %s (its log is %s)", r.name, reason(line), r.log.path)
		}
	}
}

// reason turns the last log line of a child into a part of a sentence.
func reason(line string) string {
	line = strings.TrimPrefix(line, "trackway: ")
	if line == "" {
		return "it ended without a word"
	}
	return line
}

// stop ends the children, last started first, so that a child never outlives
// what it depends on: the collector drains into an engine that still runs.
func (s *stack) stop() error {
	var problems []error
	for i := len(s.running) - 1; i >= 0; i-- {
		r := s.running[i]
		r.cancel()
		if err := <-r.done; err != nil && !errors.Is(err, context.Canceled) {
			problems = append(problems, fmt.Errorf("%s: %w", r.name, err))
		}
		r.unfollow()
		r.follower.Wait()
		problems = append(problems, r.log.close())
	}
	if err := s.board.remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
		problems = append(problems, fmt.Errorf("status: %w", err))
	}
	return errors.Join(problems...)
}

// announce tells the user, or with --json another program, where everything is.
func (s *stack) announce() error {
	status := s.board.snapshot()
	u := status.URLs
	if s.options.JSON {
		line, err := json.Marshal(struct {
			Ready  bool   `json:"ready"`
			Listen string `json:"listen"`
			Status
		}{true, s.options.Addresses.Query, status})
		if err != nil {
			return fmt.Errorf("ready line: %w", err)
		}
		_, err = fmt.Fprintln(s.options.Out, string(line))
		return err
	}
	demo := ""
	if s.options.DemoRate > 0 {
		demo = fmt.Sprintf("\n%s (%s says what happens when).\n", s.demoSentence(), filepath.Join(s.data.run(), "demo.log"))
	}
	_, err := fmt.Fprintf(s.options.Out, `
Trackway is running. Its data is in %s.

  UI           %s
  OTLP         %s (gRPC), %s (HTTP)
  NDJSON       %s
%s
Try:

  curl -s '%s/requests?limit=3'

Ctrl-C stops everything.
`, status.DataDir, u.UI, u.OTLPGRPC, u.OTLPHTTP, u.NDJSON, demo, u.API)
	return err
}
