package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// maxSocketPath is what fits a Unix socket's address (sun_path) on Linux and macOS.
const maxSocketPath = 103

// listeners are where requests come in; unix is nil where its path is too long.
type listeners struct{ tcp, unix net.Listener }

// listen opens both; the Unix socket lies in the directory run.
func listen(options Options, run string) (listeners, error) {
	tcp, err := net.Listen("tcp", options.Listen)
	if err != nil {
		return listeners{}, fmt.Errorf("engine: listen on %s: %w; choose another port with --listen, or stop what uses this one", options.Listen, err)
	}
	path := filepath.Join(run, "engine.sock")
	if len(path) > maxSocketPath {
		options.Log.Warn("no Unix socket: its path is too long", "path", path, "limit", maxSocketPath)
		return listeners{tcp: tcp}, nil
	}
	unix, err := listenUnix(path)
	if err != nil {
		return listeners{}, errors.Join(fmt.Errorf("engine: listen on %s: %w", path, err), tcp.Close())
	}
	return listeners{tcp: tcp, unix: unix}, nil
}

// listenUnix listens on a socket that only this user can open.
func listenUnix(path string) (net.Listener, error) {
	// Left by a process that was killed: the lock on the store says it is dead.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// close closes both; a server that has served them has done so already.
func (l listeners) close() {
	_ = l.tcp.Close()
	if l.unix != nil {
		_ = l.unix.Close()
	}
}
