package postgrestest

import "syscall"

// dieWithParent ends the server when the test process is killed: SIGQUIT is
// Postgres's immediate shutdown.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
}
