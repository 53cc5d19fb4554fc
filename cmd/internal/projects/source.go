package projects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/trackwayhq/trackway/cmd/internal/up"
	"github.com/trackwayhq/trackway/engine/store"
	"github.com/trackwayhq/trackway/queryserver"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// Source names a metadata store in one of three ways, or in none: then it is what
// up.MetadataEnv says, and without that the file in the default data directory.
type Source struct {
	Data   string // data directory of `trackway up`, which need not run or exist yet
	Config string // configuration file of the query server
	DSN    string
}

// Open opens the store, which is created where there is none yet.
func (s Source) Open(ctx context.Context) (*metadata.Store, error) {
	dsn, err := s.resolve(ctx)
	if err != nil {
		return nil, err
	}
	return metadata.Open(ctx, dsn)
}

func (s Source) resolve(ctx context.Context) (string, error) {
	given := 0
	for _, value := range []string{s.Data, s.Config, s.DSN} {
		if value != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return "", errors.New("--data, --config and --dsn each name a metadata store: want one of them")
	case s.DSN != "":
		if err := metadata.CheckDSN(s.DSN); err != nil {
			return "", fmt.Errorf("--dsn: %w", err)
		}
		return s.DSN, nil
	case s.Config != "":
		config, err := queryserver.LoadConfig(ctx, s.Config)
		if err != nil {
			return "", err
		}
		if config.Metadata.DSN == "" {
			return "", fmt.Errorf("configuration %s: metadata.dsn is empty: set %s, or name the store with --data or --dsn", s.Config, up.MetadataEnv)
		}
		return string(config.Metadata.DSN), nil
	case s.Data != "":
		return inDirectory(s.Data)
	}
	if dsn := os.Getenv(up.MetadataEnv); dsn != "" {
		if err := metadata.CheckDSN(dsn); err != nil {
			return "", fmt.Errorf("%s: %w", up.MetadataEnv, err)
		}
		return dsn, nil
	}
	data, err := up.DefaultDataDir()
	if err != nil {
		return "", err
	}
	return inDirectory(data)
}

// inDirectory gives the DSN of the file in a data directory, which it creates:
// projects and keys can be made before the first start.
func inDirectory(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("data directory %s: %w", path, err)
	}
	if err := store.CheckDir(dir); err != nil {
		return "", err
	}
	file := filepath.Join(dir, metadata.FileName)
	// An `up` that keeps its metadata elsewhere would never see the file.
	switch status, err := up.ReadStatus(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case status.Metadata != "" && status.Metadata != file:
		return "", fmt.Errorf("the `trackway up` on %s keeps its projects in %s: name that with --dsn, or set %s as it has", dir, status.Metadata, up.MetadataEnv)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot create the data directory: choose another with --data: %w", err)
	}
	return metadata.FileDSN(file), nil
}

// Actor names this process's user in the audit trail.
func Actor() string {
	if u, err := user.Current(); err == nil {
		return "cli:" + u.Username
	}
	return "cli:uid " + strconv.Itoa(os.Getuid())
}
