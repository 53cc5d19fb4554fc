package engine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// minMemory is the least an engine works with: below it, merges of wide tables
// fail for want of memory.
const minMemory = 1 << 30

// fallbackMemory stands for the machine's memory where it cannot be read.
const fallbackMemory = 4 << 30

// memoryBudget returns the budget in bytes: the one asked for, or a quarter of
// the machine's memory and at least minMemory.
func memoryBudget(asked uint64) (uint64, error) {
	if asked == 0 {
		return max(machineMemory()/4, minMemory), nil
	}
	if asked < minMemory {
		return 0, fmt.Errorf("engine: a memory budget of %d bytes is too small: give at least %d (1 GiB) with --memory", asked, uint64(minMemory))
	}
	return asked, nil
}

// machineMemory is the memory this process may use in bytes: the machine's, or
// the limit of its control group where that is less.
func machineMemory() uint64 {
	total := uint64(fallbackMemory)
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			var kib uint64
			if n, err := fmt.Sscanf(line, "MemTotal: %d kB", &kib); err == nil && n == 1 {
				total = kib << 10
				break
			}
		}
	}
	if limit, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if bytes, err := strconv.ParseUint(strings.TrimSpace(string(limit)), 10, 64); err == nil {
			total = min(total, bytes)
		}
	}
	return total
}

// budget is what the parts of the engine get of the memory.
type budget struct {
	server            uint64 // all of the engine's allocations, in bytes
	query             uint64 // one statement
	markCache         uint64
	uncompressedCache uint64
	otherCaches       uint64 // each of the small ones
	mergePool         int    // threads that merge
	concurrentQueries int
	maxThreads        int // of one statement
}

// perQuery is the memory a statement of an even mix needs; the number of
// concurrent ones follows from it.
const perQuery = 16 << 20

// divide derives everything from one figure. The server limit leaves a tenth to
// the Go side and to what the engine does not count.
func divide(memory uint64) budget {
	cores := runtime.GOMAXPROCS(0)
	return budget{
		server:            memory / 10 * 9,
		query:             memory / 10 * 6,
		markCache:         memory / 16,
		uncompressedCache: memory / 32,
		otherCaches:       memory / 64,
		mergePool:         max(2, min(cores, int(memory>>30)*2)),
		concurrentQueries: min(int(memory/perQuery), 512),
		maxThreads:        max(1, cores),
	}
}
