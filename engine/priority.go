package engine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// niceness is the lowest priority there is, so that a collector on the same cores
// answers while inserts and merges run. Alone, the engine has all cores.
const niceness = 19

// lowerPriority makes every thread of the process yield to its parent's. Linux
// keeps the figure per thread; threads started later inherit it. Another system
// keeps it per process.
func lowerPriority() error {
	if runtime.GOOS != "linux" {
		return syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
	}
	// A thread may start another before its own turn; a pass that finds nothing to
	// change says that none is left.
	for changed := true; changed; {
		var err error
		if changed, err = lowerThreads(); err != nil {
			return fmt.Errorf("lower the engine's priority: %w", err)
		}
	}
	return nil
}

// linuxNiceOffset is what the getpriority system call adds to keep its result
// positive: it returns 20 - nice.
const linuxNiceOffset = 20

// lowerThreads makes one pass and reports whether any thread had to be changed.
func lowerThreads() (changed bool, err error) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return false, err
		}
		priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, id)
		if errors.Is(err, syscall.ESRCH) || err == nil && linuxNiceOffset-priority >= niceness {
			continue
		}
		if err != nil {
			return false, err
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness); err != nil && !errors.Is(err, syscall.ESRCH) {
			return false, err
		}
		changed = true
	}
	return changed, nil
}
