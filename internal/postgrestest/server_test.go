package postgrestest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServer(t *testing.T) {
	s, err := Start()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		assert.NoDirExists(t, s.dir)
	})
	first, second := s.Database(t), s.Database(t)
	assert.NotEqual(t, first, second)

	require.NoError(t, s.Stop())
	_, err = net.Dial("tcp", net.JoinHostPort("127.0.0.1", s.port))
	require.Error(t, err)
	require.NoError(t, s.Run())
	s.Database(t)
}
