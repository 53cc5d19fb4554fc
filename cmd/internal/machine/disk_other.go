//go:build !linux

package machine

import (
	"errors"
	"fmt"
)

// Disk is where data is written.
type Disk struct {
	FileSystem string  `json:"file_system"`
	Device     string  `json:"device"`
	Model      string  `json:"model,omitempty"`
	SyncMS     float64 `json:"sync_ms"`
}

// String is the disk in one line.
func (d Disk) String() string { return fmt.Sprintf("%s on %s", d.FileSystem, d.Device) }

// DiskOf is known on Linux only.
func DiskOf(string) (Disk, error) {
	return Disk{}, errors.New("benchmarks read processes and disks as Linux tells of them: run them there")
}
