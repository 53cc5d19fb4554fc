package stack

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Usage is what a process has used.
type Usage struct {
	CPU  time.Duration // user and system, all threads, since its start
	RSS  int64         // resident memory now, bytes
	Peak int64         // the most it ever was
}

// ticks is USER_HZ, which is 100 on every Linux that Go runs on.
const ticks = 100

// ReadUsage reads /proc/PID/stat and /proc/PID/status (proc_pid_stat(5)).
func ReadUsage(pid int) (Usage, error) {
	var u Usage
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	// The second field is the command in parentheses and may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return u, fmt.Errorf("/proc/%d/stat: want at least 15 fields, got %q", pid, stat)
	}
	for _, field := range fields[11:13] { // utime and stime, fields 14 and 15 of the file
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return u, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		u.CPU += time.Duration(n) * time.Second / ticks
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, err
	}
	for line := range bytes.Lines(status) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		to := map[string]*int64{"VmRSS": &u.RSS, "VmHWM": &u.Peak}[string(name)]
		if to == nil {
			continue
		}
		kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
		if err != nil {
			return u, fmt.Errorf("/proc/%d/status: %w", pid, err)
		}
		*to = kib << 10
	}
	return u, nil
}

// Busy is the CPU that everything on the machine has used since it started, and
// what its host took away meanwhile.
type Busy struct{ All, Stolen time.Duration }

// ReadBusy reads the first line of /proc/stat (proc_stat(5)).
func ReadBusy() (Busy, error) {
	var b Busy
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return b, err
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	// cpu user nice system idle iowait irq softirq steal …
	fields := bytes.Fields(line)
	if len(fields) < 9 {
		return b, fmt.Errorf("/proc/stat: want at least 9 fields, got %q", line)
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return b, fmt.Errorf("/proc/stat: %w", err)
		}
		used := time.Duration(n) * time.Second / ticks
		switch i {
		case 0, 1, 2, 5, 6:
			b.All += used
		case 7:
			b.Stolen = used
		}
	}
	return b, nil
}
