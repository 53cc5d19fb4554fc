package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Stack is a running `trackway up`: engine, collector and query server.
type Stack struct {
	*Process
	ClickHouse ClickHouse
	Data       string // data directory

	Query    string // http://host:port of API and UI
	OTLPGRPC string // host:port
	OTLPHTTP string // http://host:port
	NDJSON   string // http://host:port
	LiveTail string // http://host:port
}

// status is the part of run/up.json, which `up` keeps current, that tests need.
type status struct {
	URLs struct {
		UI       string `json:"ui"`
		OTLPGRPC string `json:"otlp_grpc"`
		OTLPHTTP string `json:"otlp_http"`
		NDJSON   string `json:"ndjson"`
		Engine   string `json:"engine"`
		LiveTail string `json:"live_tail"`
	} `json:"urls"`
	Children []struct {
		Name string `json:"name"`
		PID  int    `json:"pid"`
	} `json:"children"`
}

// StartStack runs `trackway up` on a fresh data directory with a free port for
// everything and waits until all parts answer. The extra arguments follow the
// harness's own.
func StartStack(t testing.TB, args ...string) *Stack {
	t.Helper()
	return StartStackWith(t, nil, args...)
}

// StartStackWith is StartStack with additional environment variables.
func StartStackWith(t testing.TB, env []string, args ...string) *Stack {
	t.Helper()
	return StartStackIn(t, filepath.Join(t.TempDir(), "data"), env, args...)
}

// StartStackIn is StartStackWith on a data directory of the test's own.
func StartStackIn(t testing.TB, data string, env []string, args ...string) *Stack {
	t.Helper()
	p := Start(t, "up", env, Trackway(t), append([]string{
		"up", "--json", "--verbose", "--data", data,
		"--config-dir", filepath.Join(Root(t), "config"),
		"--collector", Collector(t), "--library", Library(t),
		"--listen", "0", "--otlp-grpc", "0", "--otlp-http", "0", "--ndjson", "0",
		"--engine-listen", "0", "--live-tail", "0", "--health", "0",
	}, args...)...)
	p.Ready(t)

	s := &Stack{Process: p, Data: data}
	state := s.status(t)
	password, err := os.ReadFile(filepath.Join(data, "engine.password"))
	if err != nil {
		t.Fatal(err)
	}
	s.ClickHouse = ClickHouse{
		Addr: hostPort(state.URLs.Engine), User: "default", Password: strings.TrimSpace(string(password)),
	}
	s.Query = "http://" + hostPort(state.URLs.UI)
	s.OTLPGRPC = hostPort(state.URLs.OTLPGRPC)
	s.OTLPHTTP = "http://" + hostPort(state.URLs.OTLPHTTP)
	s.NDJSON = "http://" + hostPort(state.URLs.NDJSON)
	s.LiveTail = "http://" + hostPort(state.URLs.LiveTail)
	return s
}

func (s *Stack) status(t testing.TB) status {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(s.Data, "run", "up.json"))
	if err != nil {
		t.Fatal(err)
	}
	var state status
	if err := json.Unmarshal(content, &state); err != nil {
		t.Fatalf("run/up.json: %v", err)
	}
	return state
}

// ChildPID is the process id of one of up's children: engine, collector, query.
func (s *Stack) ChildPID(t testing.TB, name string) int {
	t.Helper()
	for _, child := range s.status(t).Children {
		if child.Name == name {
			return child.PID
		}
	}
	t.Fatalf("run/up.json names no child %q", name)
	return 0
}

// hostPort gives host:port of an address with or without scheme and path.
func hostPort(url string) string {
	if _, rest, found := strings.Cut(url, "://"); found {
		url = rest
	}
	host, _, _ := strings.Cut(url, "/")
	return host
}
