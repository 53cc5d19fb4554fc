//go:build !linux

package chdb

// signalHandlers is empty where the kernel's sigaction is out of reach: a fault
// in the process ends it with the default action instead of a Go panic.
type signalHandlers struct{}

func saveSignalHandlers() (signalHandlers, error) { return signalHandlers{}, nil }

func (signalHandlers) restore() error { return nil }
