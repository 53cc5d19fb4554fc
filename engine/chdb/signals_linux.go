package chdb

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// engineSignals are the signals the engine's start takes over.
var engineSignals = []unix.Signal{
	unix.SIGABRT, unix.SIGSEGV, unix.SIGILL, unix.SIGBUS, unix.SIGSYS, unix.SIGFPE, unix.SIGTSTP, unix.SIGTRAP, unix.SIGTERM, unix.SIGINT, unix.SIGPIPE,
}

// kernelSigaction is large enough for the kernel's struct sigaction on every
// Linux architecture; it is saved and put back without being looked into.
type kernelSigaction [64]byte

// sigsetSize is the size of the kernel's signal mask: 64 signals.
const sigsetSize = 8

type signalHandlers map[unix.Signal]*kernelSigaction

func saveSignalHandlers() (signalHandlers, error) {
	saved := make(signalHandlers, len(engineSignals))
	for _, signal := range engineSignals {
		action := new(kernelSigaction)
		if err := sigaction(signal, nil, action); err != nil {
			return nil, err
		}
		saved[signal] = action
	}
	return saved, nil
}

func (s signalHandlers) restore() error {
	for signal, action := range s {
		if err := sigaction(signal, action, nil); err != nil {
			return err
		}
	}
	return nil
}

func sigaction(signal unix.Signal, set, get *kernelSigaction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(signal),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(get)), sigsetSize, 0, 0)
	if errno != 0 {
		return fmt.Errorf("rt_sigaction(%s): %w", unix.SignalName(signal), errno)
	}
	return nil
}
