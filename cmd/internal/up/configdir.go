package up

import (
	"fmt"
	"os"
	"path/filepath"
)

// ConfigDir finds the directory of the shipped configurations where Run would:
// the one that a flag names, else the one beside this program.
func ConfigDir(flag string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cannot find the path of this program: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	return findConfigDir(flag, filepath.Dir(self))
}
