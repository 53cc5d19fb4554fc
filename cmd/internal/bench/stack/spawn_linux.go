package stack

import "syscall"

// childAttributes puts a child in a process group of its own, so that Ctrl-C in
// a terminal reaches only the benchmark, which stops it in order, and has the
// kernel end it when the benchmark dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
