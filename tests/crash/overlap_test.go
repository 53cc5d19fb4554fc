package crash_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client that gave up waiting repeats a unit while its first try still runs:
// the engine ends inserts whose client went away. Both tries succeed and the
// unit is stored once.
func TestTheSameUnitTwiceAtOnce(t *testing.T) {
	const units = 12
	start := today()
	e := startEngine(t, dataDir(t), "127.0.0.1:0")
	e.createSchema(t)
	for number := uint64(1); number <= units; number++ {
		var both sync.WaitGroup
		tries := make([]error, 2)
		for i := range tries {
			both.Go(func() { tries[i] = e.insertUnit(t.Context(), number, start) })
		}
		both.Wait()
		require.NoError(t, errors.Join(tries...))
	}
	e.verifyUnits(t, units)
	e.Stop(t)
}
