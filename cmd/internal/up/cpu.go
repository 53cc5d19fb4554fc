package up

import (
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// checkCPU says whether the engine can run on this processor. ClickHouse is
// compiled for SSE4.2, PCLMUL and POPCNT on amd64; without them it dies by
// SIGILL, which tells a user nothing.
func checkCPU() error {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	return missingFeatures([]cpuFeature{
		{"SSE4.2", cpu.X86.HasSSE42},
		{"PCLMULQDQ", cpu.X86.HasPCLMULQDQ},
		{"POPCNT", cpu.X86.HasPOPCNT},
	})
}

type cpuFeature struct {
	name string
	has  bool
}

func missingFeatures(features []cpuFeature) error {
	var missing []string
	for _, f := range features {
		if !f.has {
			missing = append(missing, f.name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("this processor lacks %s, which the embedded engine needs: run Trackway on a newer machine, or (in a virtual machine) choose the CPU model \"host\"",
		strings.Join(missing, ", "))
}
