package chdb_test

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
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

// TestGoKeepsItsSignals checks that the engine has not taken the runtime's
// handlers: a nil dereference is a panic, and notified signals arrive.
func TestGoKeepsItsSignals(t *testing.T) {
	require.NoError(t, connect(t).Exec("SELECT 1"))
	require.Panics(t, func() {
		var nothing *[2]int
		t.Log(nothing[1])
	})
	arrived := make(chan os.Signal, 1)
	for _, name := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		signal.Notify(arrived, name)
		require.NoError(t, syscall.Kill(os.Getpid(), name))
		require.Equal(t, name, <-arrived)
	}
	signal.Stop(arrived)
}

func TestExceptions(t *testing.T) {
	conn := connect(t)
	for statement, code := range map[string]int{"SELECT": 62, "SELECT * FROM nowhere": 60, "SELECT throwIf(1)": 395} {
		var exception *chdb.Exception
		require.ErrorAs(t, conn.Exec(statement), &exception)
		require.Equal(t, code, exception.Code, exception.Message)
	}
	_, err := conn.Insert("INSERT INTO nowhere", "TSV", nil)
	var exception *chdb.Exception
	require.ErrorAs(t, err, &exception)
	require.Equal(t, 60, exception.Code)
}

func TestInsertStream(t *testing.T) {
	conn := connect(t)
	require.NoError(t, conn.Exec("CREATE TABLE fed (a UInt8, b UInt8 DEFAULT a + 1) ENGINE = Memory"))
	stream, err := conn.Insert("INSERT INTO fed (a)", "TSV", nil)
	require.NoError(t, err)
	for _, piece := range []string{"1", "0\n2", "", "0\n"} {
		_, err := stream.Write([]byte(piece))
		require.NoError(t, err)
	}
	stats, err := stream.Finish()
	require.NoError(t, err)
	require.EqualValues(t, 2, stats.RowsWritten)
	stream.Close()

	abandoned, err := conn.Insert("INSERT INTO fed (a)", "TSV", nil)
	require.NoError(t, err)
	_, err = abandoned.Write([]byte("30\n"))
	require.NoError(t, err)
	abandoned.Close()

	result, err := conn.Query("SELECT sum(a), sum(b) FROM fed", "TSV", nil)
	require.NoError(t, err)
	defer result.Close()
	require.Equal(t, "30\t32\n", string(result.Bytes()))
}

func TestSettingsStayInTheirConnection(t *testing.T) {
	one, other := connect(t), connect(t)
	require.NoError(t, one.Exec("SET readonly = 1"))
	require.Error(t, one.Exec("CREATE TABLE refused (a UInt8) ENGINE = Memory"))
	require.NoError(t, other.Exec("CREATE TABLE allowed (a UInt8) ENGINE = Memory"))
}
