//go:build !linux

package enginetest

import "syscall"

// dieWithParent has no counterpart here: a killed test may leave its engine.
func dieWithParent() *syscall.SysProcAttr { return nil }
