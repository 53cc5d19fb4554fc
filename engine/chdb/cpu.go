package chdb

import (
	"fmt"
	"strings"
)

// missingCPU turns the instruction sets this processor lacks into the error
// Load returns: the engine would otherwise die of SIGILL without a word.
func missingCPU(missing []string) error {
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("this processor lacks %s, which the embedded engine needs: run Trackway on a machine (or a VM with the host's CPU model) that has it, or point it at a ClickHouse server",
		strings.Join(missing, ", "))
}
