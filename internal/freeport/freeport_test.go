package freeport

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestListen(t *testing.T) {
	seen := map[int]bool{}
	for range 50 {
		l, err := Listen(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		assert.True(t, port >= first && port <= last, port)
		assert.False(t, seen[port], "given twice while held")
		seen[port] = true
	}
}

func TestListenElsewhere(t *testing.T) {
	_, err := Listen(t.Context(), "192.0.2.1") // an address for documentation, nobody's own
	require.ErrorContains(t, err, "192.0.2.1")
}
