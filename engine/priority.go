package engine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// niceness is added to this process so that a collector on the same cores gets
// its fsync through while merges run.
const niceness = 10

// lowerPriority makes every thread of the process yield to its parent's. Linux
// keeps the figure per thread; threads started later inherit it. Another system
// keeps it per process.
func lowerPriority() error {
	if runtime.GOOS != "linux" {
		return syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("lower the engine's priority: %w", err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return fmt.Errorf("lower the engine's priority: %w", err)
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness); err != nil && err != syscall.ESRCH {
			return fmt.Errorf("lower the engine's priority: %w", err)
		}
	}
	return nil
}
