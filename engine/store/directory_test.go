package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckDir(t *testing.T) {
	for name, test := range map[string]struct {
		files []string // ending in / for directories
		ok    bool
	}{
		"empty":                      {nil, true},
		"fresh mount":                {[]string{"lost+found/", ".Trash/"}, true},
		"data":                       {[]string{"VERSION=" + versionPrefix + "1", "store/", "notes.txt"}, true},
		"killed at its first start":  {[]string{"run/up.lock", "engine.password", ".engine.password-1"}, true},
		"killed later":               {[]string{"run/engine.lock", "store/", "journal/"}, true},
		"projects before the start":  {[]string{"meta.db.lock", "meta.db", "meta.db-wal"}, true},
		"foreign meta.db":            {[]string{"meta.db"}, false},
		"foreign file":               {[]string{"passwd"}, false},
		"foreign VERSION":            {[]string{"VERSION=1.2.3"}, false},
		"foreign run":                {[]string{"run/app.pid"}, false},
		"foreign store":              {[]string{"store/a"}, false},
		"foreign file among our own": {[]string{"run/up.lock", "main.c"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range test.files {
				path, text, _ := strings.Cut(file, "=")
				require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(path+"x")), 0o700))
				if path[len(path)-1] != '/' {
					require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
				}
			}
			err := CheckDir(dir)
			if test.ok {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, dir)
				require.ErrorContains(t, err, "with --data")
			}
		})
	}
	require.NoError(t, CheckDir(filepath.Join(t.TempDir(), "new")))
	require.ErrorContains(t, CheckDir(""), "--data: want a directory")
}
