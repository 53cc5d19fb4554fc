package stack

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Child is a process that speaks lines on stdin and stdout.
type Child struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Reader
	output io.Closer
	log    tail
	exited chan struct{}
	err    error
}

// spawns starts processes from one operating system thread that never ends: the
// parent-death signal of Linux is sent when the thread that forked ends.
var spawns = sync.OnceValue(func() chan<- func() {
	requests := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range requests {
			start()
		}
	}()
	return requests
})

// StartChild starts a program. The environment is this process's and env.
func StartChild(name string, env []string, program string, args ...string) (*Child, error) {
	c := &Child{name: name, cmd: exec.Command(program, args...), exited: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.SysProcAttr = childAttributes()
	c.cmd.Stderr = &c.log
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// A pipe of our own: exec's is closed by Wait, which must not wait for readers.
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.cmd.Stdout = childStdout
	c.lines, c.output = bufio.NewReaderSize(stdout, 1<<16), stdout
	started := make(chan error)
	spawns() <- func() { started <- c.cmd.Start() }
	err = <-started
	childStdout.Close()
	if err != nil {
		stdout.Close()
		return nil, fmt.Errorf("%s: cannot start %s: %w", name, program, err)
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.exited)
	}()
	return c, nil
}

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Say writes a value as a line of JSON to the child's stdin.
func (c *Child) Say(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if _, err = c.stdin.Write(append(line, '\n')); err != nil {
		return c.died(err)
	}
	return nil
}

// Hear reads the next line of JSON of the child's stdout into v.
func (c *Child) Hear(v any) error {
	line, err := c.lines.ReadBytes('\n')
	if err != nil {
		return c.died(err)
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("%s: line %.200q: %w", c.name, line, err)
	}
	return nil
}

// died explains an error of talking to the child by its last words.
func (c *Child) died(err error) error {
	how := ""
	if !errors.Is(err, io.EOF) {
		how = ": " + err.Error()
	}
	return fmt.Errorf("the %s ended%s; its log ends with:\n%s", c.name, how, c.log.String())
}

// Stop asks the child to end, and kills it when it takes longer than limit.
func (c *Child) Stop(limit time.Duration) error {
	defer c.output.Close()
	select {
	case <-c.exited:
		return nil
	default:
	}
	_ = c.stdin.Close() // a child that waits for a line ends by that
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	// What it still says is read, so that it never blocks on a full pipe.
	go func() { _, _ = io.Copy(io.Discard, c.lines) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.exited:
		return nil
	case <-timer.C:
	}
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	<-c.exited
	return fmt.Errorf("the %s did not stop within %s and was killed", c.name, limit)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// maxTail is what is kept of a child's log.
const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > 2*maxTail {
		t.b = append(t.b[:0], t.b[len(t.b)-maxTail:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.b[max(0, len(t.b)-maxTail):]))
}
