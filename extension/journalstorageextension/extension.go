package journalstorageextension

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/extension/journalstorageextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/journal"
)

// journalStorage is the extension. All its clients share one journal, and so its
// syncs.
type journalStorage struct {
	config    *Config
	settings  extension.Settings
	journal   *journal.Journal
	telemetry *metadata.TelemetryBuilder
	admin     admin.Server
	// fileSystem is the real one; tests put one that crashes in its place.
	fileSystem journal.FileSystem
}

var _ storage.Extension = (*journalStorage)(nil)

func newExtension(set extension.Settings, cfg *Config) *journalStorage {
	return &journalStorage{config: cfg, settings: set}
}

// Start opens the journal. It fails if another process has it or if it is corrupt.
func (e *journalStorage) Start(ctx context.Context, host component.Host) error {
	telemetry, err := metadata.NewTelemetryBuilder(e.settings.TelemetrySettings)
	if err != nil {
		return err
	}
	background := context.WithoutCancel(ctx)
	e.journal, err = journal.Open(e.config.Directory, journal.Options{
		MaxBytes:      e.config.MaxBytes,
		SegmentBytes:  e.config.SegmentBytes,
		CacheBytes:    e.config.CacheBytes,
		Sync:          e.config.Sync,
		FlushInterval: e.config.FlushInterval,
		FileSystem:    e.fileSystem,
		OnSync:        func(d time.Duration) { telemetry.JournalSyncDuration.Record(background, d.Seconds()) },
		OnFailure: func(err error) {
			e.settings.Logger.Error("The journal takes no more data; a restart checks it", zap.Error(err))
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		},
	})
	if err != nil {
		return fmt.Errorf("directory: %w", err)
	}
	if s := e.journal.Stats(); s.TornTails > 0 {
		e.settings.Logger.Warn("Cut off what was being written when the machine or process stopped; none of it was acknowledged",
			zap.String("directory", e.config.Directory), zap.Int64("bytes", s.TornBytes))
	}
	e.telemetry = telemetry
	if err := e.openAdmin(); err != nil {
		return errors.Join(err, e.journal.Close())
	}
	return telemetry.Observe(func() metadata.Observation {
		s := e.journal.Stats()
		return metadata.Observation{
			AppendedBytes: s.AppendedBytes, AppendedRecords: s.AppendedRecords, CarriedBytes: s.CarriedBytes,
			Syncs: s.Syncs, TornTails: s.TornTails, RefusedBatches: s.Refused,
			LiveBytes: s.LiveBytes, DiskBytes: s.DiskBytes, CacheBytes: s.CacheBytes, Keys: s.Keys,
		}
	})
}

// Shutdown writes what is not yet written and closes the journal.
func (e *journalStorage) Shutdown(context.Context) error {
	if e.journal == nil {
		return nil
	}
	err := e.admin.Close()
	if e.telemetry != nil {
		err = errors.Join(err, e.telemetry.Shutdown())
	}
	return errors.Join(err, e.journal.Close())
}

// GetClient opens the keys of one component under one name. A name can be open
// once at a time.
func (e *journalStorage) GetClient(_ context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	if e.journal == nil {
		return nil, errors.New("journal_storage: not started")
	}
	// Neither kinds nor ids contain spaces, so no two names collide.
	space, err := e.journal.Space(kind.String() + " " + id.String() + " " + name)
	if err != nil {
		return nil, fmt.Errorf("journal_storage: %w", err)
	}
	return newClient(e.journal, space, e.config.Sync, kind), nil
}
