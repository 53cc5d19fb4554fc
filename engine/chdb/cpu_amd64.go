package chdb

import "golang.org/x/sys/cpu"

// checkCPU compares the processor with what ClickHouse's x86-64-v2 builds
// execute unconditionally; wider sets are chosen at run time by the engine.
func checkCPU() error {
	var missing []string
	for _, feature := range []struct {
		name string
		has  bool
	}{
		{"SSSE3", cpu.X86.HasSSSE3},
		{"SSE4.1", cpu.X86.HasSSE41},
		{"SSE4.2", cpu.X86.HasSSE42},
		{"POPCNT", cpu.X86.HasPOPCNT},
		{"PCLMULQDQ", cpu.X86.HasPCLMULQDQ},
	} {
		if !feature.has {
			missing = append(missing, feature.name)
		}
	}
	return missingCPU(missing)
}
