package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// How long the harness waits: generous, because a loaded two-core machine starts
// six processes at once. Nothing asserts on these.
const (
	readyTimeout = 90 * time.Second
	stopTimeout  = 45 * time.Second
)

// Process is a child the test started.
type Process struct {
	name    string
	cmd     *exec.Cmd
	stderr  *lockedBuffer
	stdout  *lockedBuffer
	ready   chan map[string]any
	exited  chan struct{}
	waitErr error
}

// Start runs the program and registers its end with the test. Its environment is
// the test's plus env ("KEY=value"). It does not wait for anything.
func Start(t testing.TB, name string, env []string, program string, args ...string) *Process {
	t.Helper()
	p := &Process{
		name:   name,
		cmd:    exec.Command(program, args...),
		stderr: new(lockedBuffer),
		stdout: new(lockedBuffer),
		ready:  make(chan map[string]any, 1),
		exited: make(chan struct{}),
	}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = p.stderr
	// A child must not outlive a test process that was killed.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	go p.watch(out)
	t.Cleanup(func() {
		p.Stop(t)
		if t.Failed() {
			t.Logf("---- %s stdout\n%s\n---- %s stderr\n%s", name, p.stdout.tail(), name, p.stderr.tail())
		}
	})
	return p
}

// watch keeps stdout, picks the ready line out of it, and reaps the child.
func (p *Process) watch(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		_, _ = p.stdout.Write(line)
		var said map[string]any
		if json.Unmarshal(line, &said) == nil && said["ready"] == true {
			select {
			case p.ready <- said:
			default:
			}
		}
		if err != nil {
			break
		}
	}
	p.waitErr = p.cmd.Wait()
	close(p.exited)
}

// Ready waits for the line {"ready":true,…} on stdout and gives its content.
func (p *Process) Ready(t testing.TB) map[string]any {
	t.Helper()
	select {
	case said := <-p.ready:
		return said
	case <-p.exited:
		t.Fatalf("%s ended before it was ready: %v; its output follows", p.name, p.waitErr)
	case <-time.After(readyTimeout):
		t.Fatalf("%s was not ready after %s; its output follows", p.name, readyTimeout)
	}
	return nil
}

// PID is the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stderr is what the child has written to stderr so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Exited is closed when the child has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill ends the child as a crash would and does not wait for it. One that has ended
// is left alone, whoever has its process id now.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
}

// Stop asks the child to end with SIGTERM, and ends it with SIGKILL where it
// does not, which fails the test. Stopping twice is fine.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	select {
	case <-p.exited:
		return
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("%s: SIGTERM: %v", p.name, err)
	}
	select {
	case <-p.exited:
	case <-time.After(stopTimeout):
		t.Errorf("%s did not end within %s of SIGTERM", p.name, stopTimeout)
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

// lockedBuffer collects a child's output while the test may read it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// tail is the last part of the output, enough to see why a child failed.
func (b *lockedBuffer) tail() string {
	const most = 16 << 10
	s := b.String()
	if len(s) > most {
		s = "…" + strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return s
}
