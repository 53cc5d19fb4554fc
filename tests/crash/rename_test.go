package crash_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func itoa[T int | uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

// maxRenames ends the walk over a unit's renames: a unit of three days makes a
// part per day or month in each of a dozen tables.
const maxRenames = 100

// Every part that a unit becomes, in every table, is once the one at whose
// rename the engine dies.
func TestKillAtEveryRenameOfAUnit(t *testing.T) {
	data, start := dataDir(t), today()
	e := startEngine(t, data, "127.0.0.1:0")
	e.createSchema(t)
	e.Stop(t)

	number := uint64(0)
	for n := 1; ; n++ {
		require.Less(t, n, maxRenames, "a unit still met a rename")
		number++
		trapped := startEngine(t, data, "127.0.0.1:0", trap(t, partRename, n)...)
		if trapped.insertUnit(t.Context(), number, start) == nil {
			trapped.kill(t)
			require.Greater(t, n, unitDays, "strace met no rename")
			t.Logf("a unit makes at most %d renames in a thread", n-1)
			break
		}
		<-trapped.Exited()

		e := startEngine(t, data, "127.0.0.1:0")
		require.Contains(t, e.Stderr(), "not closed cleanly")
		require.NoError(t, e.insertUnit(t.Context(), number, start), "the retry, killed at rename %d", n)
		require.NoError(t, e.insertUnit(t.Context(), number, start), "a repeated token")
		require.Equal(t, fmt.Sprint(unitRows), e.ask(t, "SELECT count() FROM trackway.requests WHERE unit = "+itoa(number)), "killed at rename %d", n)
		e.Stop(t)
	}
	e = startEngine(t, data, "127.0.0.1:0")
	e.verifyUnits(t, number)
	e.Stop(t)
}

// A merge that never came into place leaves the parts it was made of, and their
// tokens still hold.
func TestKillAtTheRenameOfAMerge(t *testing.T) {
	const units = 4
	data, start := dataDir(t), today()
	e := startEngine(t, data, "127.0.0.1:0")
	e.createSchema(t)
	insertAll := func(e *engine) {
		for number := uint64(1); number <= units; number++ {
			require.NoError(t, e.insertUnit(t.Context(), number, start))
		}
	}
	insertAll(e)
	e.Stop(t)

	trapped := startEngine(t, data, "127.0.0.1:0", trap(t, partRename, 1)...)
	_, err := trapped.post(t.Context(), "OPTIMIZE TABLE trackway.requests FINAL", nil, http.NoBody)
	require.Error(t, err)
	<-trapped.Exited()

	e = startEngine(t, data, "127.0.0.1:0")
	insertAll(e)
	e.verifyUnits(t, units)
	require.Empty(t, e.ask(t, "OPTIMIZE TABLE trackway.requests FINAL"))
	require.Empty(t, e.ask(t, "OPTIMIZE TABLE trackway.cnt_m FINAL"))
	e.kill(t)

	// Now every token stands for a block inside a merged part.
	e = startEngine(t, data, "127.0.0.1:0")
	insertAll(e)
	e.verifyUnits(t, units)
	e.Stop(t)
}
