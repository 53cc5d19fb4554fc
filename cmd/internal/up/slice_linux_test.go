package up

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// sliceOf gives the length of a thread's turns, as the scheduler has it.
func sliceOf(t *testing.T, id int) time.Duration {
	t.Helper()
	attr, err := unix.SchedGetAttr(id, 0)
	require.NoError(t, err)
	return time.Duration(attr.Runtime)
}

func TestAChildGetsItsSliceAndTheNextDoesNot(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr, err := unix.SchedGetAttr(0, 0)
	require.NoError(t, err)
	if attr.Runtime == 0 || attr.Policy != unix.SCHED_NORMAL {
		t.Skip("slices are of the usual policy, since Linux 6.12")
	}
	usual := time.Duration(attr.Runtime)
	s := newSpawner()
	defer s.stop()
	start := func(slice time.Duration) *exec.Cmd {
		cmd := exec.Command("/bin/cat")
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, s.start(cmd, slice))
		t.Cleanup(func() {
			_ = stdin.Close()
			_ = cmd.Wait()
		})
		return cmd
	}
	for _, c := range []struct{ ask, want time.Duration }{{100 * time.Microsecond, 100 * time.Microsecond}, {0, usual}} {
		cmd := start(c.ask)
		threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "task"))
		require.NoError(t, err)
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			require.NoError(t, err)
			assert.Equal(t, c.want, sliceOf(t, id), "asked for %s", c.ask)
		}
	}
}
