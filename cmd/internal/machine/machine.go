// Package machine says what figures depend on: the computer they were taken on.
package machine

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Machine is what a figure depends on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes,omitempty"`
	Kernel string `json:"kernel,omitempty"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

// String is the machine in one line.
func (m Machine) String() string {
	return fmt.Sprintf("%d × %s, %.1f GiB, %s/%s %s", m.Cores, m.CPU, float64(m.Memory)/(1<<30), m.OS, m.Arch, m.Kernel)
}

// This reads what Linux tells below /proc; elsewhere those fields stay
// empty.
func This() Machine {
	m := Machine{CPU: "unknown CPU", Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if name := procField("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	if kib, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		m.Memory = kib << 10
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = string(bytes.TrimSpace(release))
	}
	return m
}

// procField returns the value of the first "key : value" line of a file.
func procField(path, key string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		k, v, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// CPUTime is the processor time this process has used.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
