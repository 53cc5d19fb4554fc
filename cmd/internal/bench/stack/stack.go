package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/cmd/internal/up"
)

// stopLimit is how long `up` may take to stop: the collector drains first.
const stopLimit = 3 * time.Minute

// Options of a stack.
type Options struct {
	Trackway  string // program
	Collector string // program; "" is the one beside Trackway
	Library   string // of the engine; "" is the one beside Trackway
	ConfigDir string // holds query.yaml
	Dir       string // is created, holds everything, and is removed by Close
	Config    Config // of the collector
	Memory    string // of the engine, in bytes; "" is its default
}

// Stack is a running `trackway up`.
type Stack struct {
	child  *Child
	dir    string
	Data   string
	URLs   up.URLs
	Engine clickhouse.Endpoint
}

// Start starts everything and waits until it answers.
func Start(o Options) (*Stack, error) {
	configDir := filepath.Join(o.Dir, "config")
	if err := os.MkdirAll(configDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	query, err := os.ReadFile(filepath.Join(o.ConfigDir, "query.yaml"))
	if err != nil {
		return nil, fmt.Errorf("query server configuration: %w", err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(configDir, "query.yaml"), query, 0o600), o.Config.write(configDir)); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	s := &Stack{dir: o.Dir, Data: filepath.Join(o.Dir, "data")}
	args := []string{"up", "--json", "--data", s.Data, "--config-dir", configDir}
	for _, flag := range []string{"--listen", "--otlp-grpc", "--otlp-http", "--ndjson", "--engine-listen", "--live-tail", "--health"} {
		args = append(args, flag, "0")
	}
	for flag, value := range map[string]string{"--collector": o.Collector, "--library": o.Library, "--memory": o.Memory} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if s.child, err = StartChild("stack", nil, o.Trackway, args...); err != nil {
		return nil, err
	}
	if err := s.ready(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stack) ready() error {
	var ready struct {
		Ready bool    `json:"ready"`
		URLs  up.URLs `json:"urls"`
	}
	if err := s.child.Hear(&ready); err != nil {
		return err
	}
	password, err := os.ReadFile(filepath.Join(s.Data, up.PasswordFile))
	if err != nil {
		return fmt.Errorf("engine password: %w", err)
	}
	s.URLs = ready.URLs
	s.Engine = clickhouse.Endpoint{
		URL: s.URLs.Engine, User: "default", Password: strings.TrimSpace(string(password)), Database: "trackway",
	}
	return nil
}

// PIDs are the processes by name: engine, collector, query.
func (s *Stack) PIDs() (map[string]int, error) {
	status, err := up.ReadStatus(s.Data)
	if err != nil {
		return nil, fmt.Errorf("status of the stack: %w", err)
	}
	pids := map[string]int{}
	for _, c := range status.Children {
		pids[c.Name] = c.PID
	}
	return pids, nil
}

// Restarts says which process ended and was started again: a figure taken
// meanwhile is worth nothing.
func (s *Stack) Restarts() error {
	status, err := up.ReadStatus(s.Data)
	if err != nil {
		return fmt.Errorf("status of the stack: %w", err)
	}
	var problem error
	for _, c := range status.Children {
		if c.Restarts > 0 {
			problem = errors.Join(problem, fmt.Errorf("the %s ended %d times (%s): %s", c.Name, c.Restarts, c.LastExit, s.LogEnd(c.Name)))
		}
	}
	return problem
}

// LogEnd is the end of the log of one process, without what is merely informing.
func (s *Stack) LogEnd(name string) string {
	content, err := os.ReadFile(filepath.Join(s.Data, "run", name+".log"))
	if err != nil {
		return err.Error()
	}
	var kept []string
	for text := range strings.Lines(string(content)) {
		if !strings.Contains(text, "\tinfo\t") {
			kept = append(kept, strings.TrimSpace(text))
		}
	}
	if len(kept) == 0 {
		return "its log says nothing of it"
	}
	return strings.Join(kept[max(0, len(kept)-logLines):], "\n")
}

// logLines are what is shown of a log.
const logLines = 10

// Close stops everything and removes its directory.
func (s *Stack) Close() error {
	return errors.Join(s.child.Stop(stopLimit), os.RemoveAll(s.dir))
}
