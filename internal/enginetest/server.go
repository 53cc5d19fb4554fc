package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startTime bounds a start: the library is half a gigabyte to read from a cold disk.
const startTime = 2 * time.Minute

// stopTime bounds a clean stop.
const stopTime = time.Minute

// Server is a running engine.
type Server struct {
	URL            string // http://127.0.0.1:<port>
	User, Password string
	Dir            string // data directory
	Socket         string // path of the Unix socket

	options options
	command *exec.Cmd
	stderr  *lockedBuffer
	exited  chan struct{} // closed when the process is gone
	err     error         // of its end, valid then
}

type options struct {
	command []string
	env     []string
	dir     string
	memory  uint64
	args    []string
}

// Option changes how Start starts the engine.
type Option func(*options)

// WithDir uses a data directory that outlives the server.
func WithDir(dir string) Option { return func(o *options) { o.dir = dir } }

// WithMemory sets the memory budget in bytes; 1 GiB by default.
func WithMemory(bytes uint64) Option { return func(o *options) { o.memory = bytes } }

// WithArgs adds flags of `trackway engine`.
func WithArgs(args ...string) Option { return func(o *options) { o.args = append(o.args, args...) } }

// WithCommand replaces the program, and adds to its environment.
func WithCommand(command []string, env ...string) Option {
	return func(o *options) { o.command, o.env = command, append(o.env, env...) }
}

// Start starts an engine on a fresh directory and waits until it answers. It is
// stopped cleanly when the test ends.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	o := options{memory: 1 << 30}
	for _, option := range opts {
		option(&o)
	}
	if o.dir == "" {
		o.dir = t.TempDir()
	}
	if o.command == nil {
		binary, err := Binary()
		if err != nil {
			t.Fatal(err)
		}
		o.command = []string{binary, "engine"}
	}
	s := &Server{User: "default", Password: "engine-test", Dir: o.dir, options: o}
	s.start(t)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop the engine: %v\n%s", err, s.stderr)
		} else if t.Failed() {
			t.Logf("the engine's log:\n%s", s.stderr)
		}
	})
	return s
}

// Restart starts the engine again on the same directory, after Kill or Stop.
// The port is a new one.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.start(t)
}

func (s *Server) start(t testing.TB) {
	t.Helper()
	library, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, s.options.command[1:]...),
		"--data", s.Dir, "--listen", "127.0.0.1:0", "--memory", fmt.Sprint(s.options.memory), "--library", library)
	command := exec.Command(s.options.command[0], append(args, s.options.args...)...)
	command.Env = append(append(os.Environ(), "TRACKWAY_ENGINE_PASSWORD="+s.Password), s.options.env...)
	command.SysProcAttr = dieWithParent()
	s.stderr = &lockedBuffer{}
	ready := newFirstLine()
	command.Stdout, command.Stderr = ready, s.stderr
	s.command, s.exited = command, make(chan struct{})
	started := make(chan error)
	go func() {
		// The parent-death signal follows the thread that started the process, so
		// that thread stays until the process has ended.
		runtime.LockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			s.err = command.Wait()
			close(s.exited)
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s: %v", command.Path, err)
	}
	select {
	case line := <-ready.line:
		var info struct{ Listen, Socket string }
		if err := json.Unmarshal(line, &info); err != nil || info.Listen == "" {
			s.Kill()
			t.Fatalf("the engine's ready line is %q: want JSON with its address\n%s", line, s.stderr)
		}
		s.URL, s.Socket = "http://"+info.Listen, info.Socket
	case <-s.exited:
		t.Fatalf("the engine ended at its start: %v\n%s", s.err, s.stderr)
	case <-time.After(startTime):
		s.Kill()
		t.Fatalf("the engine was not ready within %s\n%s", startTime, s.stderr)
	}
}

// PID is the process id.
func (s *Server) PID() int { return s.command.Process.Pid }

// Log is what the engine has written to its standard error.
func (s *Server) Log() string { return s.stderr.String() }

// Exited is closed when the process has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Kill ends the process at once, as kill -9 does, and waits until it is gone.
func (s *Server) Kill() {
	// It fails only for a process that has already ended.
	_ = s.command.Process.Kill()
	<-s.exited
}

// Stop ends the process cleanly. Stopping one that has ended is no error.
func (s *Server) Stop() error {
	select {
	case <-s.exited:
		return nil
	default:
	}
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-s.exited:
		return s.err
	case <-time.After(stopTime):
		s.Kill()
		return fmt.Errorf("still running %s after SIGTERM", stopTime)
	}
}

// Exec runs a statement and fails the test on an error.
func (s *Server) Exec(t testing.TB, statement string) {
	t.Helper()
	s.Query(t, statement)
}

// Query runs a statement and returns its result, TabSeparated unless the
// statement has a FORMAT clause. An error fails the test.
func (s *Server) Query(t testing.TB, statement string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(statement))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(s.User, s.Password)
	// No connection stays behind for a leak check to find.
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", statement, response.Status, body)
	}
	return string(body)
}

// lockedBuffer gathers a process's output while a test may read it.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// firstLine is a Writer that hands out the first line and drops the rest.
type firstLine struct {
	line    chan []byte
	pending []byte
	done    bool
}

func newFirstLine() *firstLine { return &firstLine{line: make(chan []byte, 1)} }

func (f *firstLine) Write(p []byte) (int, error) {
	if !f.done {
		f.pending = append(f.pending, p...)
		if line, _, found := bytes.Cut(f.pending, []byte("\n")); found {
			f.done = true
			f.line <- line
		}
	}
	return len(p), nil
}
