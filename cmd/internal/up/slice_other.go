//go:build unix && !linux

package up

import "time"

// setSlice is for Linux.
func setSlice(time.Duration) error { return nil }
