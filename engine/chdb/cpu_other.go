//go:build !amd64

package chdb

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// checkCPU compares the processor with the ARMv8.2 baseline of ClickHouse's
// builds. Darwin's arm64 machines all pass it, and x/sys/cpu cannot tell there.
func checkCPU() error {
	if runtime.GOARCH != "arm64" || runtime.GOOS != "linux" {
		return nil
	}
	var missing []string
	if !cpu.ARM64.HasATOMICS {
		missing = append(missing, "LSE atomics")
	}
	if !cpu.ARM64.HasCRC32 {
		missing = append(missing, "CRC32")
	}
	return missingCPU(missing)
}
