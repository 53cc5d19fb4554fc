package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/freeport"
)

const (
	// account is the superuser of the test's server, trusted without a password.
	account = "trackway"
	// startTime bounds a start on a loaded machine.
	startTime = time.Minute
	startPoll = 50 * time.Millisecond
)

// Server is a Postgres server of the test's own.
type Server struct {
	programs string // directory of postgres, initdb and createdb
	dir      string
	port     string
	account  *syscall.Credential // nil: the test's own

	databases atomic.Int64
	exited    chan struct{} // closed when the process has ended; nil before a start
	process   *os.Process
	log       *bytes.Buffer // complete once exited is closed
}

// Start makes a new cluster and starts a server on it.
func Start() (*Server, error) {
	programs, err := locate()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "postgrestest-*")
	if err != nil {
		return nil, err
	}
	s := &Server{programs: programs, dir: dir}
	if err := s.create(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Run(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// locate finds the directory of the newest installed version's programs.
func locate() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found)), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", fmt.Errorf("the tests start a Postgres server: run `make test-tools`, or install the package postgresql: %w", err)
	}
	return filepath.Dir(path), nil
}

// create makes the cluster's files and finds a port.
func (s *Server) create() error {
	if os.Geteuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return fmt.Errorf("postgres does not run as root, and its own user is missing: %w", err)
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return err
		}
		s.account = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.dir, int(uid), int(gid)); err != nil {
			return err
		}
	}
	if err := s.run("initdb", "--pgdata", s.data(), "--username", account, "--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C"); err != nil {
		return err
	}
	listener, err := freeport.Listen(context.Background(), "127.0.0.1")
	if err != nil {
		return err
	}
	_, s.port, err = net.SplitHostPort(listener.Addr().String())
	return errors.Join(err, listener.Close())
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(program string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.programs, program), args...)
	c.Dir = s.dir
	c.SysProcAttr = dieWithParent()
	c.SysProcAttr.Credential = s.account
	return c
}

func (s *Server) run(program string, args ...string) error {
	if out, err := s.command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

// Run starts the server again after Stop, on the same port and files.
func (s *Server) Run() error {
	c := s.command("postgres", "-D", s.data(), "-p", s.port, "-h", "127.0.0.1", "-k", "", "-F",
		"-c", "max_connections=100", "-c", "shared_buffers=16MB")
	s.log = &bytes.Buffer{}
	c.Stdout, c.Stderr = s.log, s.log
	started, exited := make(chan error), make(chan struct{})
	go func() {
		// The parent-death signal follows the thread that started the process, so
		// that thread stays until the process has ended.
		runtime.LockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // how it ended is in its log
			close(exited)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process, s.exited = c.Process, exited
	for deadline := time.Now().Add(startTime); ; {
		ready := s.run("pg_isready", "--quiet", "--host", "127.0.0.1", "--port", s.port)
		if ready == nil {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("postgres ended at its start:\n%s", s.log)
		case <-time.After(startPoll):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("postgres did not answer within %s: %w", startTime, ready)
		}
	}
}

// Stop ends the server as its "fast" shutdown does: connections are cut.
func (s *Server) Stop() error {
	if s.exited == nil {
		return nil
	}
	if err := s.process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(startTime):
		_ = s.process.Signal(syscall.SIGQUIT)
		<-s.exited
		return fmt.Errorf("postgres did not stop within %s:\n%s", startTime, s.log)
	}
}

// Close stops the server and removes its files.
func (s *Server) Close() error { return errors.Join(s.Stop(), os.RemoveAll(s.dir)) }

// Database makes an empty database and gives its DSN.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	if err := s.run("createdb", "--host", "127.0.0.1", "--port", s.port, "--username", account, name); err != nil {
		t.Fatal(err)
	}
	dsn := url.URL{Scheme: "postgres", User: url.User(account), Host: net.JoinHostPort("127.0.0.1", s.port), Path: name, RawQuery: "sslmode=disable"}
	return dsn.String()
}
