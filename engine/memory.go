package engine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// MinMemory is the least an engine works with, in bytes: below it, merges of wide tables
// fail for want of memory.
const MinMemory = 1 << 30

// fallbackMemory stands for the machine's memory where it cannot be read.
const fallbackMemory = 4 << 30

// memoryBudget returns the budget in bytes: the one asked for, or a quarter of
// the machine's memory and at least MinMemory.
func memoryBudget(asked uint64) (uint64, error) {
	if asked == 0 {
		return max(machineMemory()/4, MinMemory), nil
	}
	if asked < MinMemory {
		return 0, fmt.Errorf("engine: a memory budget of %d bytes is too small: give at least %d (1 GiB) with --memory", asked, uint64(MinMemory))
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

// budget is what the parts of the engine get of the memory. The sizes are bytes.
type budget struct {
	Server            uint64 // all of the engine's allocations
	Merges            uint64 // of these, merges and mutations
	Query             uint64 // of these, one statement
	MarkCache         uint64
	UncompressedCache uint64
	IndexCaches       uint64 // each of the primary index's and the text index's
	SmallCaches       uint64 // each of the others
	MergePool         int    // threads that merge
	ConcurrentQueries int
}

// perQuery is the memory a statement of an even mix needs; the number of
// concurrent ones follows from it.
const perQuery = 16 << 20

// maxInsertBlock is where larger blocks of an insert stop making it faster.
const maxInsertBlock = 128 << 20

// divide derives everything from one figure. The server limit leaves a tenth to
// the Go side and to what the engine does not count; the caches together stay
// below a third of it, where a server's defaults add up to tens of GiB.
func divide(memory uint64) budget {
	return budget{
		Server:            memory / 10 * 9,
		Merges:            memory / 3,
		Query:             memory / 10 * 6,
		MarkCache:         memory / 16,
		UncompressedCache: memory / 32,
		IndexCaches:       memory / 32,
		SmallCaches:       memory / 128,
		MergePool:         max(2, min(runtime.GOMAXPROCS(0), int(memory>>30)*2)),
		ConcurrentQueries: min(int(memory/perQuery), 512),
	}
}

// settings are the arguments that give every connection its share: a statement
// spills to disk before it reaches its limit, and an insert works in blocks of so
// many bytes. A block is a million rows otherwise, which is a GiB of rows of one
// KiB.
func (b budget) settings() []string {
	spill := strconv.FormatUint(b.Query/2, 10)
	block := min(b.Query/16, maxInsertBlock)
	return []string{
		"--max_memory_usage=" + strconv.FormatUint(b.Query, 10),
		"--max_bytes_before_external_group_by=" + spill,
		"--max_bytes_before_external_sort=" + spill,
		"--input_format_max_block_size_bytes=" + strconv.FormatUint(block, 10),
		"--min_insert_block_size_bytes=" + strconv.FormatUint(2*block, 10),
	}
}
