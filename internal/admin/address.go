package admin

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// withAddress calls use with an address of the socket at path. A Unix socket's
// address takes 107 bytes on Linux; a longer path is named through its directory,
// which stays open until use has returned.
func withAddress(path string, use func(address string) error) error {
	if len(path) <= maxPath {
		return use(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}

// dial connects to the socket at path.
func dial(ctx context.Context, path string) (conn net.Conn, err error) {
	err = withAddress(path, func(address string) (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, "unix", address)
		return err
	})
	return conn, err
}
