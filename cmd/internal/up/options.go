package up

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/engine"
	"github.com/trackwayhq/trackway/internal/schema/budget"
)

// Options is what the user of `trackway up` can choose. The zero value of every
// field but Version means the default.
type Options struct {
	Version   string // of the running binary, for run/up.json
	DataDir   string // default DefaultDataDir()
	ConfigDir string // holds standalone.yaml and query.yaml; default: found beside the binary
	Collector string // path of trackway-collector; default: found beside the binary
	Library   string // path of libchdb.so; default: the engine looks for it
	Memory    string // engine memory budget, handed to the engine as it is; "" is the engine's default

	// DiskBudget bounds the store, such as 200GiB or 80%; "" is the configuration's,
	// which is none.
	DiskBudget string

	Addresses Addresses

	DemoRate float64 // requests a second of demo traffic; 0 runs none

	Verbose bool // copy the children's logs to Log
	JSON    bool // print a JSON ready line on Out instead of text
	Out     io.Writer
	Log     io.Writer
}

// maxDemoRate is the most demo traffic, in requests a second; `trackway demo
// --load` is for more.
const maxDemoRate = 100_000

// Validate says which option cannot work, before anything is started.
func (o Options) Validate() error {
	if o.Memory != "" {
		memory, err := strconv.ParseUint(o.Memory, 10, 64)
		switch {
		case err != nil:
			return fmt.Errorf("--memory: want a number of bytes, such as 2147483648, got %s", o.Memory)
		case memory != 0 && memory < engine.MinMemory:
			return fmt.Errorf("--memory: want at least %d bytes (1 GiB), got %d", uint64(engine.MinMemory), memory)
		}
	}
	if _, err := budget.ParseLimit(o.DiskBudget); err != nil {
		return fmt.Errorf("--disk-budget: %w", err)
	}
	for _, e := range []endpoint{{flag: "--listen", addr: &o.Addresses.Query}, {flag: "--engine-listen", addr: &o.Addresses.Engine}} {
		if *e.addr != "" && !onLoopback(*e.addr) {
			return fmt.Errorf("%s: want an address of this machine alone, such as 127.0.0.1:8080, got %s", e.flag, *e.addr)
		}
	}
	if !(o.DemoRate >= 0 && o.DemoRate <= maxDemoRate) { // NaN neither
		return fmt.Errorf("--demo: want 0 to %d requests a second, got %g", maxDemoRate, o.DemoRate)
	}
	return nil
}

// onLoopback reports whether only this machine reaches an address. The parts that
// have no accounts, or only one, listen on nothing else.
func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// Addresses are the host:port pairs the children listen on. Port 0 means any
// free port.
type Addresses struct {
	OTLPGRPC string
	OTLPHTTP string
	NDJSON   string
	LiveTail string
	Health   string
	Query    string
	Engine   string
}

// DefaultAddresses are the ports that the contracts fix, on loopback.
func DefaultAddresses() Addresses {
	return Addresses{
		OTLPGRPC: "127.0.0.1:4317",
		OTLPHTTP: "127.0.0.1:4318",
		NDJSON:   "127.0.0.1:4319",
		LiveTail: "127.0.0.1:4320",
		Health:   "127.0.0.1:13133",
		Query:    "127.0.0.1:8080",
		Engine:   "127.0.0.1:8123",
	}
}

// DefaultDataDir is ~/.local/share/trackway, or the same below XDG_DATA_HOME.
func DefaultDataDir() (string, error) {
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "trackway"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home directory to keep data in: name a directory with --data: %w", err)
	}
	return filepath.Join(home, ".local", "share", "trackway"), nil
}

// ParseAddress reads the value of an address flag: host:port, :port or port.
// Without a host it is loopback.
func ParseAddress(value string) (string, error) {
	host, port := "127.0.0.1", value
	if strings.Contains(value, ":") {
		h, p, err := net.SplitHostPort(value)
		if err != nil {
			return "", fmt.Errorf("want host:port or a port, got %q", value)
		}
		if h != "" {
			host = h
		}
		port = p
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("want a port from 0 to 65535, got %q", port)
	}
	return net.JoinHostPort(host, port), nil
}
