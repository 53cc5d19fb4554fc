package chdb_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/chdb"
	"github.com/trackwayhq/trackway/internal/enginetest"
)

// instance is the one engine of this test process.
var instance *chdb.Instance

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	path, err := enginetest.Library()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	library, err := chdb.Load(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	directory, err := os.MkdirTemp("", "chdb-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(directory)
	instance, err = library.Open([]string{"--path=" + directory})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer instance.Close()
	return m.Run()
}

func connect(t *testing.T) *chdb.Conn {
	t.Helper()
	conn, err := instance.Connect()
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn
}

func TestQuery(t *testing.T) {
	result, err := connect(t).Query("SELECT {x:UInt8} + 1", "TabSeparated", chdb.Params{"x": "41"})
	require.NoError(t, err)
	defer result.Close()
	require.Equal(t, "42\n", string(result.Bytes()))
	require.EqualValues(t, 1, result.Stats().ResultRows)
}
