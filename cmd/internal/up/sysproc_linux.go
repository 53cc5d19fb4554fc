package up

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// childAttributes puts a child in a process group of its own, so that Ctrl-C in
// a terminal reaches only `up`, which stops children in order, and has the
// kernel end it cleanly when `up` dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// processStartTime is field 22 of /proc/PID/stat (proc_pid_stat(5)), in clock
// ticks since boot; 0 when there is no such process or it is a zombie.
func processStartTime(pid int) uint64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The second field is the command in parentheses and may contain anything.
	end := bytes.LastIndex(stat, []byte(") "))
	if end < 0 {
		return 0
	}
	fields := bytes.Fields(stat[end+2:])
	if len(fields) < 20 || string(fields[0]) == "Z" {
		return 0
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	if err != nil {
		return 0
	}
	return start
}
