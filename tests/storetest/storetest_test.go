package storetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lang "github.com/trackwayhq/trackway/internal/storetest"
)

// bases gives every script half a day of its own, and the half before it, at
// noon on a day of the last month: inside the retention, and not of today.
func base(n int) time.Time {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	return today.Add(-time.Duration(n+2)*24*time.Hour + 12*time.Hour)
}

// maxScripts is how many days the retention of 30 leaves.
const maxScripts = 26

func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.test")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 || len(paths) > maxScripts {
		t.Fatalf("%d scripts: want 1 to %d, since each has a day of its own", len(paths), maxScripts)
	}
	system := startSystem(t)
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".test")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			script, err := lang.Parse(path, string(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := lang.Run(t.Context(), system, script, base(i)); err != nil {
				t.Error(err)
			}
		})
	}
}
