//go:build !linux

package journal

// Sync makes written bytes durable.
func (f osFile) Sync() error { return f.File.Sync() }

// Allocate writes zeros.
func (f osFile) Allocate(size int64) error { return writeZeros(f, size) }
