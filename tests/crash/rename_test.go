package crash_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func itoa[T int | uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

// maxRenames ends the walk over a unit's renames: a unit of two days makes a
// part per day or month in each of nine tables.
const maxRenames = 100

// Every part that a unit becomes, in every table, is once the one at whose
// rename the engine dies.
func TestKillAtEveryRenameOfAUnit(t *testing.T) {
	data, listen, start := dataDir(t), freeAddress(t), today()
	e := startEngine(t, data, listen)
	e.createSchema(t)
	e.Stop(t)

	number, mended := uint64(0), 0
	for n := 1; ; n++ {
		require.Less(t, n, maxRenames, "a unit still met a rename")
		number++
		trapped := launchEngine(t, data, listen, trap(t, partRename, n)...)
		if outlives(trapped, listen, func(s store) error { return s.insertUnit(t.Context(), number, start) }) {
			require.NoError(t, syscall.Kill(trapped.PID(), syscall.SIGKILL))
			<-trapped.Exited()
			require.Greater(t, n, unitDays, "strace met no rename")
			t.Logf("a unit makes at most %d renames in a thread", n-1)
			break
		}

		e := startEngine(t, data, listen)
		require.Contains(t, e.Stderr(), "not closed cleanly")
		if strings.Contains(e.Stderr(), "dropped 1 without a part") {
			mended++
		}
		require.NoError(t, e.insertUnit(t.Context(), number, start), "the retry, killed at rename %d", n)
		require.NoError(t, e.insertUnit(t.Context(), number, start), "a repeated token")
		require.Equal(t, fmt.Sprint(unitRows), e.ask(t, "SELECT count() FROM trackway.requests WHERE unit = "+itoa(number)), "killed at rename %d", n)
		e.Stop(t)
	}
	e = startEngine(t, data, listen)
	e.verifyUnits(t, number)
	require.Greater(t, mended, unitDays, "kills that left a deduplication record without its part")
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

	listen := freeAddress(t)
	trapped := launchEngine(t, data, listen, trap(t, partRename, 1)...)
	require.False(t, outlives(trapped, listen, func(s store) error {
		_, err := s.post(t.Context(), "OPTIMIZE TABLE trackway.requests FINAL", nil, http.NoBody)
		return err
	}), "the engine merged without a rename")

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
