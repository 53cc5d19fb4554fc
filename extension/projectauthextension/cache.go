package projectauthextension

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/statefile"
)

// cacheVersion is the version of the cache's format.
const cacheVersion = 1

// cacheDocument is the cache. When the query server last confirmed it is the
// file's modification time, so that a confirmation does not rewrite it.
type cacheDocument struct {
	Format int             `json:"format"`
	ETag   string          `json:"etag"`
	Table  json.RawMessage `json:"table"`
}

// loadCache takes the table of an earlier run. A cache that cannot be read is as
// good as none: the query server has the keys.
func (a *projectAuth) loadCache() {
	if a.cfg.CacheFile == "" {
		return
	}
	t, skipped, at, err := readCache(a.cfg.CacheFile, a.cfg.MaxTableBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		a.set.Logger.Warn("The cached ingest keys are of no use; waiting for the query server", zap.Error(err))
		return
	}
	a.adopt(t, skipped, at)
}

func readCache(path string, maxBytes int64) (t *table, skipped []string, confirmed time.Time, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, confirmed, err
	}
	if info.Size() > 2*maxBytes {
		return nil, nil, confirmed, fmt.Errorf("%s: %d bytes, more than twice max_table_bytes", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, confirmed, err
	}
	var doc cacheDocument
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, nil, confirmed, fmt.Errorf("%s: %w", path, err)
	}
	if doc.Format != cacheVersion {
		return nil, nil, confirmed, fmt.Errorf("%s: format %d, want %d", path, doc.Format, cacheVersion)
	}
	if t, skipped, err = parseTable(doc.Table, doc.ETag); err != nil {
		return nil, nil, confirmed, fmt.Errorf("%s: %w", path, err)
	}
	return t, skipped, info.ModTime(), nil
}

// saveCache keeps an answer. A failure is logged and nothing more: the table in
// memory is in force.
func (a *projectAuth) saveCache(answer []byte, etag string, at time.Time) {
	if a.cfg.CacheFile == "" {
		return
	}
	data, err := json.Marshal(cacheDocument{Format: cacheVersion, ETag: etag, Table: answer})
	if err == nil {
		err = statefile.Replace(a.cfg.CacheFile, data, at)
	}
	if err != nil {
		a.set.Logger.Warn("Cannot keep the ingest keys on disk", zap.String("cache_file", a.cfg.CacheFile), zap.Error(err))
	}
}

// confirmCache notes that the cached table still held at the time.
func (a *projectAuth) confirmCache(at time.Time) {
	if a.cfg.CacheFile == "" {
		return
	}
	if err := os.Chtimes(a.cfg.CacheFile, at, at); err != nil {
		a.set.Logger.Warn("Cannot keep the ingest keys on disk", zap.String("cache_file", a.cfg.CacheFile), zap.Error(err))
	}
}
