package enginetest

import "syscall"

// dieWithParent ends the engine when the test process is killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
