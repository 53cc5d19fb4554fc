package up

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// install is where the parts of an installation are.
type install struct {
	self      string // this binary
	collector string
	standalone,
	query string // configuration files
}

// locate finds the collector and the configuration by flag, or beside the
// binary as `make build` and a release archive lay them out.
func locate(o Options) (install, error) {
	var in install
	self, err := os.Executable()
	if err != nil {
		return in, fmt.Errorf("cannot find the path of this program: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	in.self = self
	beside := filepath.Dir(self)

	if in.collector, err = findCollector(o.Collector, beside); err != nil {
		return in, err
	}
	dir, err := findConfigDir(o.ConfigDir, beside)
	if err != nil {
		return in, err
	}
	in.standalone = filepath.Join(dir, "standalone.yaml")
	in.query = filepath.Join(dir, "query.yaml")
	return in, nil
}

func findCollector(flag, beside string) (string, error) {
	if flag != "" {
		path, err := exec.LookPath(flag)
		if err != nil {
			return "", fmt.Errorf("--collector %s is not a program that can be started: %w", flag, err)
		}
		return filepath.Abs(path)
	}
	path := filepath.Join(beside, "trackway-collector")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath("trackway-collector"); err == nil {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("the collector is not at %s nor on the PATH: build it with `make collector`, or name it with --collector", path)
}

func findConfigDir(flag, beside string) (string, error) {
	tried := []string{flag}
	if flag == "" {
		tried = []string{filepath.Join(beside, "config"), filepath.Join(beside, "..", "config")}
	}
	var problem error
	for _, dir := range tried {
		problem = hasConfig(dir)
		if problem == nil {
			return filepath.Abs(dir)
		}
	}
	if flag != "" {
		return "", fmt.Errorf("--config-dir must hold standalone.yaml and query.yaml: %w", problem)
	}
	return "", fmt.Errorf("standalone.yaml and query.yaml are in neither %s nor %s: name their directory with --config-dir", tried[0], tried[1])
}

func hasConfig(dir string) error {
	for _, name := range []string{"standalone.yaml", "query.yaml"} {
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing", filepath.Join(dir, name))
		case err != nil:
			return err
		case info.IsDir():
			return fmt.Errorf("%s is a directory", filepath.Join(dir, name))
		}
	}
	return nil
}
