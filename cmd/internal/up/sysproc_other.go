//go:build unix && !linux

package up

import "syscall"

// childAttributes puts a child in a process group of its own. Without Linux
// there is no parent-death signal: children outlive an `up` that was killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// processStartTime is unknown here: no earlier process is ever waited for.
func processStartTime(int) uint64 { return 0 }
