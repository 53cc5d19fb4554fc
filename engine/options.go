package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
)

// Options configures Run.
type Options struct {
	// Data is the data directory. The engine's files go into its store/, the
	// Unix socket into its run/.
	Data string
	// Listen is a TCP address, "127.0.0.1:8123" by default; port 0 picks one.
	Listen string
	// AllowRemote permits a Listen address beyond loopback.
	AllowRemote bool
	// Memory is the budget in bytes that everything else is derived from; 0 is a
	// quarter of the machine's, at least 1 GiB.
	Memory uint64
	// Library is the path of libchdb.so.
	Library string
	// User ("default" when empty) and Password are what clients must present.
	User, Password string
	// Ready is called once when requests are answered.
	Ready func(Info)
	// Log receives diagnostics; nil discards them.
	Log *slog.Logger
}

// Info describes an engine that is ready.
type Info struct {
	Listen  string // TCP address with its real port
	Socket  string // path of the Unix socket, "" where that is too long for one
	Version string // of ClickHouse
}

// withDefaults fills what was left out and rejects what cannot work.
func (o Options) withDefaults() (Options, error) {
	if o.Data == "" {
		return o, errors.New("engine: no data directory: give one with --data")
	}
	data, err := filepath.Abs(o.Data)
	if err != nil {
		return o, fmt.Errorf("engine: data directory %s: %w", o.Data, err)
	}
	o.Data = data
	if o.Library == "" {
		return o, errors.New("engine: no library: name libchdb.so with --library or TRACKWAY_LIBCHDB (`make engine-library` fetches it)")
	}
	if o.Library, err = filepath.Abs(o.Library); err != nil {
		return o, fmt.Errorf("engine: library %s: %w", o.Library, err)
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8123"
	}
	if o.User == "" {
		o.User = "default"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Memory, err = memoryBudget(o.Memory); err != nil {
		return o, err
	}
	return o, o.checkListen()
}

// checkListen refuses addresses that other machines can reach, unless that was
// asked for and a password stands before the data.
func (o Options) checkListen() error {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return fmt.Errorf("engine: listen address %q: want host:port, such as 127.0.0.1:8123: %w", o.Listen, err)
	}
	ip := net.ParseIP(host)
	switch {
	case host == "localhost" || ip != nil && ip.IsLoopback():
		return nil
	case !o.AllowRemote:
		return fmt.Errorf("engine: refusing to listen on %s: other machines could reach the store; listen on 127.0.0.1, or allow it with --allow-remote and a password", o.Listen)
	case o.Password == "":
		return fmt.Errorf("engine: refusing to listen on %s without a password: set TRACKWAY_ENGINE_PASSWORD", o.Listen)
	}
	return nil
}
