package chdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/ebitengine/purego"
)

// Library is libchdb loaded into this process. There is at most one.
type Library struct {
	symbols symbols
	path    string
}

var loaded struct {
	sync.Mutex
	library *Library
}

// Load loads the library at path and checks that this machine can run it. A
// second call returns the library loaded first: two copies of the engine cannot
// share a process.
//
// The process adopts TZ=UTC first, because the engine takes its time zone from
// the environment when it is loaded.
func Load(path string) (*Library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.library != nil {
		if loaded.library.path != path {
			return nil, fmt.Errorf("load engine library %s: this process already runs %s", path, loaded.library.path)
		}
		return loaded.library, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("engine library %s does not exist: run `make engine-library`, or name the file with --library or TRACKWAY_LIBCHDB", path)
	} else if err != nil {
		return nil, fmt.Errorf("engine library: %w", err)
	}
	if err := checkCPU(); err != nil {
		return nil, err
	}
	if err := os.Setenv("TZ", "UTC"); err != nil {
		return nil, fmt.Errorf("set TZ=UTC for the engine: %w", err)
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load engine library %s: %w; fetch it again with `make engine-library`", path, err)
	}
	library := &Library{path: path}
	if err := library.symbols.bind(handle); err != nil {
		return nil, fmt.Errorf("engine library %s is not release 26.7 of libchdb: %w; run `make engine-library`", path, err)
	}
	loaded.library = library
	return library, nil
}

// Version is the release of the library, for example "26.7.3".
func (l *Library) Version() string { return l.symbols.version() }
