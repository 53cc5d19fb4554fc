package up

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// StatusFile is where a running `up` describes itself, below the data directory.
const StatusFile = "run/up.json"

// Status is the content of run/up.json, rewritten whenever a child starts or
// ends and removed after a clean stop. Other tools read addresses from it.
type Status struct {
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	DataDir   string    `json:"data"`
	StartedAt time.Time `json:"started_at"`
	Ready     bool      `json:"ready"`
	URLs      URLs      `json:"urls"`
	// Metadata is where projects and keys are: a file, or a server without its password.
	Metadata string        `json:"metadata"`
	Children []ChildStatus `json:"children"`
	// Full names the part of the data directory whose disk has no room; "" when all
	// have.
	Full string `json:"full,omitempty"`
}

// URLs are the addresses that users and senders need.
type URLs struct {
	UI       string `json:"ui"`
	API      string `json:"api"`
	OTLPGRPC string `json:"otlp_grpc"` // host:port
	OTLPHTTP string `json:"otlp_http"`
	NDJSON   string `json:"ndjson"`
	Engine   string `json:"engine"`
	LiveTail string `json:"live_tail"`
	Health   string `json:"health"`
}

// ChildStatus describes one supervised process.
type ChildStatus struct {
	Name     string `json:"name"`
	PID      int    `json:"pid"` // 0 while it is not running
	State    string `json:"state"`
	Restarts int    `json:"restarts"`
	// StartTime tells this process from a later one with the same pid: the
	// 22nd field of /proc/PID/stat, in clock ticks since boot. 0 where unknown.
	StartTime uint64 `json:"start_time,omitempty"`
	LastExit  string `json:"last_exit,omitempty"`
}

// The states of a child.
const (
	StateStarting = "starting" // started, not ready yet
	StateReady    = "ready"
	StateStopped  = "stopped" // ended; to be started again unless `up` is stopping
)

// ReadStatus reads the status file of a data directory.
func ReadStatus(dataDir string) (Status, error) {
	var s Status
	path := filepath.Join(dataDir, StatusFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// board holds the current Status and keeps the file equal to it.
type board struct {
	path string
	mu   sync.Mutex
	s    Status
}

// update changes the status under the lock and writes the file.
func (b *board) update(change func(*Status)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.s)
	content, err := json.MarshalIndent(b.s, "", "  ")
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	if err := writeFileAtomic(b.path, append(content, '\n')); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	return nil
}

// child changes the entry of one child, which it creates when absent.
func (b *board) child(name string, change func(*ChildStatus)) error {
	return b.update(func(s *Status) {
		for i := range s.Children {
			if s.Children[i].Name == name {
				change(&s.Children[i])
				return
			}
		}
		c := ChildStatus{Name: name}
		change(&c)
		s.Children = append(s.Children, c)
	})
}

func (b *board) snapshot() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.s
	s.Children = append([]ChildStatus(nil), b.s.Children...)
	return s
}

func (b *board) remove() error { return os.Remove(b.path) }
