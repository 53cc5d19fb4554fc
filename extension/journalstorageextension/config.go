package journalstorageextension

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/journal"
)

// Config of the journal_storage extension.
type Config struct {
	// Directory holds the journal, and nothing else. It is created if absent.
	Directory string `mapstructure:"directory"`
	// MaxBytes bounds the disk use. A sending queue should be configured smaller,
	// so that it refuses before the journal does.
	MaxBytes int64 `mapstructure:"max_bytes"`
	// SegmentBytes is the size of one file. It bounds a single request.
	SegmentBytes int64 `mapstructure:"segment_bytes"`
	// CacheBytes bounds the recent values that are served from memory.
	CacheBytes int64 `mapstructure:"cache_bytes"`
	// Sync is "group", "each" or "off".
	Sync journal.SyncMode `mapstructure:"sync"`
	// FlushInterval is how long dispatches and deletions may wait to be written.
	FlushInterval time.Duration `mapstructure:"flush_interval"`
	// AdminSocket is the path of the operator's socket, which only the collector's
	// user can open; none if empty.
	AdminSocket string `mapstructure:"admin_socket"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	return &Config{
		MaxBytes:      journal.DefaultMaxBytes,
		SegmentBytes:  journal.DefaultSegmentBytes,
		CacheBytes:    journal.DefaultCacheBytes,
		Sync:          journal.SyncGroup,
		FlushInterval: journal.DefaultFlushInterval,
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	if c.Directory == "" {
		errs = append(errs, errors.New("directory: required; name a directory on a local disk"))
	}
	if c.SegmentBytes < journal.MinSegmentBytes || c.SegmentBytes > journal.MaxSegmentBytes {
		errs = append(errs, fmt.Errorf("segment_bytes: want %d to %d, got %d", int64(journal.MinSegmentBytes), int64(journal.MaxSegmentBytes), c.SegmentBytes))
	} else if least := journal.MinSegments * c.SegmentBytes; c.MaxBytes < least {
		errs = append(errs, fmt.Errorf("max_bytes: want at least %d, which is %d times segment_bytes, got %d", least, journal.MinSegments, c.MaxBytes))
	}
	if c.CacheBytes <= 0 {
		errs = append(errs, fmt.Errorf("cache_bytes: want a number above 0, got %d", c.CacheBytes))
	}
	if c.FlushInterval <= 0 {
		errs = append(errs, fmt.Errorf("flush_interval: want a duration above 0, got %s", c.FlushInterval))
	}
	switch c.Sync {
	case journal.SyncGroup, journal.SyncEach, journal.SyncOff:
	default:
		errs = append(errs, fmt.Errorf(`sync: want "group", "each" or "off", got %q`, c.Sync))
	}
	return errors.Join(errs...)
}
