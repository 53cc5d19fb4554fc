package journal

import (
	"fmt"
	"time"
)

// SyncMode says when a change is durable.
type SyncMode string

const (
	// SyncGroup syncs as often as the disk can; all that wait at that moment share
	// a sync.
	SyncGroup SyncMode = "group"
	// SyncEach writes and syncs changes at once that SyncGroup may write later.
	SyncEach SyncMode = "each"
	// SyncOff never syncs: changes survive the process and not the machine.
	SyncOff SyncMode = "off"
)

// Limits and defaults.
const (
	DefaultMaxBytes      = 4 << 30
	DefaultSegmentBytes  = 32 << 20
	DefaultCacheBytes    = 64 << 20
	DefaultFlushInterval = 100 * time.Millisecond

	// MinSegmentBytes is small enough for tests of full disks.
	MinSegmentBytes = 64 << 10
	// MaxSegmentBytes keeps offsets inside a record in 32 bits.
	MaxSegmentBytes = maxSegmentSize
	// MinSegments is one that is written, three in reserve and some to fill.
	MinSegments = 8

	// maxUnwritten is how much may wait for the disk before writers wait too.
	maxUnwritten = 32 << 20
	// maxLazy is how much may be put off until the next record.
	maxLazy = 256 << 10
)

// Options of a journal. Zero values are replaced by defaults.
type Options struct {
	// MaxBytes bounds the disk use; ErrFull beyond it.
	MaxBytes int64
	// SegmentBytes is the size of a segment, and bounds a batch.
	SegmentBytes int64
	// CacheBytes bounds the values kept in memory beside those not yet written.
	CacheBytes int64
	// Sync is SyncGroup unless given.
	Sync SyncMode
	// FlushInterval is how long lazy changes may wait for another record.
	FlushInterval time.Duration
	// OnSync, if given, is told how long each sync took. It must not block.
	OnSync func(time.Duration)
	// OnFailure, if given, is called once when the journal fails, from a goroutine of its own.
	OnFailure func(error)
	// FileSystem is the real one unless given.
	FileSystem FileSystem
}

func (o Options) withDefaults() Options {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = DefaultSegmentBytes
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = DefaultCacheBytes
	}
	if o.Sync == "" {
		o.Sync = SyncGroup
	}
	if o.FlushInterval == 0 {
		o.FlushInterval = DefaultFlushInterval
	}
	if o.OnSync == nil {
		o.OnSync = func(time.Duration) {}
	}
	if o.OnFailure == nil {
		o.OnFailure = func(error) {}
	}
	if o.FileSystem == nil {
		o.FileSystem = osFS{}
	}
	o.SegmentBytes = align(o.SegmentBytes)
	return o
}

func (o Options) validate() error {
	if o.SegmentBytes < MinSegmentBytes || o.SegmentBytes > MaxSegmentBytes {
		return fmt.Errorf("segment size: want %d to %d bytes, got %d", int64(MinSegmentBytes), int64(MaxSegmentBytes), o.SegmentBytes)
	}
	if o.MaxBytes < MinSegments*o.SegmentBytes {
		return fmt.Errorf("size limit: want room for %d segments of %d bytes, got %d", MinSegments, o.SegmentBytes, o.MaxBytes)
	}
	return nil
}
