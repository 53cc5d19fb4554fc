//go:build !linux

package postgrestest

import "syscall"

// dieWithParent has no counterpart here: a killed test may leave its server.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
