package up

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/trackwayhq/trackway/internal/pause"
)

// readyLine is what every long-running trackway process prints on stdout, once,
// when it answers.
type readyLine struct {
	Ready bool `json:"ready"`
}

// child is one supervised process. It is a suture service: Serve runs the
// process once, and the supervisor calls it again after the process ended.
type child struct {
	name      string
	path      string
	args      []string
	env       []string
	stopLimit time.Duration // from SIGTERM to SIGKILL
	slice     time.Duration // how long its turns on a processor are; 0 for the default
	// probe asks whether the process answers. Without one, a ready line on
	// stdout says so.
	probe      func(context.Context) error
	background bool // nothing waits for it to answer

	spawn *spawner
	board *board
	log   *logFile
	warn  func(error) // told what must not stop the child

	started bool // Serve has started a process before

	once  sync.Once
	ready chan struct{} // closed when the process answered for the first time
	ended chan string   // gets the last log line when the process ended; capacity 1
}

// String names the child in the supervisor's events.
func (c *child) String() string { return c.name }

// Serve starts the process and returns when it has ended, always with an error,
// so that the supervisor starts it again.
func (c *child) Serve(ctx context.Context) error {
	if err := c.log.rotate(); err != nil {
		c.warn(err)
	}
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	defer stdout.Close()
	cmd := &exec.Cmd{
		Path:        c.path,
		Args:        append([]string{c.path}, c.args...),
		Env:         c.env,
		Stdout:      childStdout,
		Stderr:      c.log.file,
		SysProcAttr: childAttributes(),
	}
	err = c.spawn.start(cmd, c.slice)
	childStdout.Close()
	if err != nil {
		return fmt.Errorf("%s: cannot start %s: %w", c.name, c.path, err)
	}
	c.note(func(s *ChildStatus) {
		if c.started {
			s.Restarts++
		}
		s.PID, s.State, s.StartTime = cmd.Process.Pid, StateStarting, processStartTime(cmd.Process.Pid)
	})
	c.started = true

	watch, endWatch := context.WithCancel(ctx)
	defer endWatch()
	var watchers sync.WaitGroup
	watchers.Go(func() { c.readStdout(stdout) })
	if c.probe != nil {
		watchers.Go(func() { c.poll(watch) })
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()

	select {
	case err = <-exited:
	case <-ctx.Done():
		err = c.stop(cmd.Process, exited)
	}
	endWatch()
	watchers.Wait()
	c.note(func(s *ChildStatus) {
		s.PID, s.State, s.StartTime, s.LastExit = 0, StateStopped, 0, exitText(err)
	})
	select {
	case c.ended <- c.log.lastLine():
	default:
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s ended: %s", c.name, exitText(err))
}

// stop asks the process to end and kills it when it takes longer than stopLimit.
func (c *child) stop(p *os.Process, exited <-chan error) error {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.warn(fmt.Errorf("%s: %w", c.name, err))
	}
	limit := time.NewTimer(c.stopLimit)
	defer limit.Stop()
	select {
	case err := <-exited:
		return err
	case <-limit.C:
	}
	c.warn(fmt.Errorf("%s did not stop within %s and was killed", c.name, c.stopLimit))
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.warn(fmt.Errorf("%s: %w", c.name, err))
	}
	return <-exited
}

// readStdout looks for the ready line and reads everything after it, so that the
// child never blocks on a full pipe.
func (c *child) readStdout(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		var ready readyLine
		if c.probe == nil && json.Unmarshal(line, &ready) == nil && ready.Ready {
			c.markReady()
		}
		if err != nil {
			return
		}
	}
}

// poll asks the probe until it agrees or ctx ends.
func (c *child) poll(ctx context.Context) {
	for {
		if c.probe(ctx) == nil {
			c.markReady()
			return
		}
		if pause.For(ctx, 50*time.Millisecond) != nil {
			return
		}
	}
}

func (c *child) markReady() {
	c.note(func(s *ChildStatus) { s.State = StateReady })
	c.once.Do(func() { close(c.ready) })
}

// note changes the child's entry in the status file.
func (c *child) note(change func(*ChildStatus)) {
	if err := c.board.child(c.name, change); err != nil {
		c.warn(err)
	}
}

// exitText says how a process ended: "exit status 1", "signal: killed".
func exitText(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}
