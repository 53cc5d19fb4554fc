package clickhouserollupexporter

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/trackwayhq/trackway/internal/convert"
	"github.com/trackwayhq/trackway/internal/deadletter"
	"github.com/trackwayhq/trackway/internal/schema"
	diskbudget "github.com/trackwayhq/trackway/internal/schema/budget"
)

// Defaults.
const (
	defaultEndpoint = "http://127.0.0.1:8123"
	defaultUsername = "default"
	// One insert may have to wait behind merges; an engine that restarts needs
	// seconds.
	defaultTimeout = time.Minute
	defaultTTLDays = 30

	// A unit waits this long for company, which bounds what it adds to the time
	// until a delivery is answered. An insert costs the engine 80 ms of CPU however
	// few its rows are: at 40 requests a second, 50 ms took a whole core, 200 ms
	// half of one, 500 ms a fifth (ADR 0004).
	defaultUnitMaxAge = 500 * time.Millisecond
	// A row costs the engine 23 µs in units of 8,000 and 16 µs in units of 25,000
	// (ADR 0010); beyond this it costs little less.
	defaultUnitMinRows = 25_000
	// Stays well below the engine's insert block of a million rows. The buffers of a
	// unit take about 1 KB a row.
	defaultUnitMaxRows = 25_000
	// Of the rows' encoding; the blocks made of them are about as large again.
	defaultUnitMaxBytes = 16 << 20
	// A unit goes into its tables at the same time. Every unit more in flight makes
	// units smaller and takes its buffers.
	defaultUnitMaxInFlight = 1
	// Units in flight, and one that is gathering meanwhile.
	defaultUnitMaxHeldBytes = 32 << 20

	// Deliveries held in memory, by the size of their encoding.
	defaultQueueBytes = 128 << 20
	// What a sender may repeat after: a day, as long as there are not more.
	defaultBatchIDs = 1_000_000
	defaultRemember = 24 * time.Hour

	// A consumer holds one delivery until its unit is stored, so this many can
	// share a unit.
	defaultConsumers = 512
	// The same of a queue on disk: half of what journal_storage may take by
	// default, since it keeps whole segments.
	defaultStoredQueueBytes = 2 << 30

	// Half a segment of journal_storage.
	defaultMaxDeliveryBytes = 16 << 20
	// From here on the bytes cost more than the queue item itself.
	defaultCoalesceItems = 512
	defaultCoalesceBytes = 128 << 10

	defaultRetryAfterMin = time.Second
	defaultRetryAfterMax = 30 * time.Second
)

// Config of the clickhouse_rollup exporter.
type Config struct {
	// ClickHouse is the HTTP interface of the store. It is a named field because
	// the embedded form would promote its Unmarshal method and lose the keys
	// beside it.
	ClickHouse confighttp.ClientConfig `mapstructure:"clickhouse"`
	// Username and Password authenticate at the store.
	Username string              `mapstructure:"username"`
	Password configopaque.String `mapstructure:"password"`
	// Database holds all tables.
	Database string `mapstructure:"database"`
	// CreateSchema lets the exporter create database, tables and views. Without
	// it they must be there, at this release's version.
	CreateSchema bool `mapstructure:"create_schema"`
	// Cluster is the cluster of the server's configuration that tables are spread
	// over; empty for one server.
	Cluster string `mapstructure:"cluster"`
	// TTLDays is how long raw records are kept, of projects that have no setting of
	// their own; older items are dropped.
	TTLDays uint16 `mapstructure:"ttl_days"`
	// DiskBudget bounds the store: bytes such as 200GiB, or how full its disk may be,
	// such as 80%. Beyond it, the oldest days are dropped. Empty for no bound.
	DiskBudget string `mapstructure:"disk_budget"`
	// LiveTail is the live_tail extension that records are published to.
	LiveTail *component.ID `mapstructure:"live_tail"`
	// Ledger is the ledger extension that counts what becomes of each item. It must
	// use the storage of the sending queue.
	Ledger *component.ID `mapstructure:"ledger"`

	// Queue is in memory, or with storage on disk. A delivery is answered when it is
	// stored (wait_for_result) or, with storage, when it is durable in the queue.
	Queue configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
	// BatchIDs says how long a sender's ids of batches are remembered.
	BatchIDs BatchIDsConfig `mapstructure:"batch_ids"`
	// MaxDeliveryBytes bounds one delivery, encoded.
	MaxDeliveryBytes int `mapstructure:"max_delivery_bytes"`
	// Limits bound what one span or log record may have; what is beyond them is left
	// out, counted and marked on the record.
	Limits convert.Limits `mapstructure:"limits"`
	// Coalesce bounds what is made one item of a queue on disk.
	Coalesce CoalesceConfig `mapstructure:"coalesce"`
	// RetryAfter bounds what senders are told to wait when the queue is full.
	RetryAfter RetryAfterConfig `mapstructure:"retry_after"`
	// DeadLetter is where a queue on disk leaves what the store refuses for good.
	DeadLetter DeadLetterConfig `mapstructure:"dead_letter"`
	// Retry says how the insert of a unit is repeated. max_elapsed_time is 0 by
	// default: units are not given up.
	Retry configretry.BackOffConfig `mapstructure:"retry_on_failure"`
	// Unit bounds the rows that are inserted together.
	Unit UnitConfig `mapstructure:"unit"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// BatchIDsConfig bounds the memory for ids of batches, about 50 bytes each.
type BatchIDsConfig struct {
	// MaxIDs is how many are remembered.
	MaxIDs int `mapstructure:"max_ids"`
	// Remember is for how long, if MaxIDs allows.
	Remember time.Duration `mapstructure:"remember"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// Validate speaks in the keys of the configuration.
func (c *BatchIDsConfig) Validate() error {
	if c.MaxIDs <= 0 || c.Remember <= 0 {
		return fmt.Errorf("max_ids, remember: want a number and a duration above 0, got %d and %s", c.MaxIDs, c.Remember)
	}
	return nil
}

// UnitConfig bounds a unit of insert.
type UnitConfig struct {
	// MaxAge is how long a unit is kept open for more rows.
	MaxAge time.Duration `mapstructure:"max_age"`
	// MinRows is how many rows are worth an insert before MaxAge is reached.
	MinRows int `mapstructure:"min_rows"`
	// MaxRows closes a unit that has this many rows of all tables together.
	MaxRows int `mapstructure:"max_rows"`
	// MaxBytes closes a unit whose rows take this much, encoded.
	MaxBytes int `mapstructure:"max_bytes"`
	// MaxInFlight is how many units are inserted at a time.
	MaxInFlight int `mapstructure:"max_in_flight"`
	// MaxHeldBytes bounds the deliveries that are in units, open ones and those in
	// flight, encoded. Others stay in the queue's storage.
	MaxHeldBytes int `mapstructure:"max_held_bytes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// CoalesceConfig bounds what small deliveries, which arrive while an earlier one is
// being written, are put together to. One that is larger than half of it goes alone.
type CoalesceConfig struct {
	// MaxItems is in spans and log records.
	MaxItems int `mapstructure:"max_items"`
	// MaxBytes is of the encoding.
	MaxBytes int `mapstructure:"max_bytes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// RetryAfterConfig bounds what senders are told to wait. It is made from how fast the
// queue drains.
type RetryAfterConfig struct {
	Min time.Duration `mapstructure:"min"`
	Max time.Duration `mapstructure:"max"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// DeadLetterConfig says where dead letters are kept.
type DeadLetterConfig struct {
	// Directory holds the dead letters, and nothing else. It is created if absent.
	Directory string `mapstructure:"directory"`
	// MaxBytes bounds them. When they are full, units that need them wait.
	MaxBytes int64 `mapstructure:"max_bytes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	client := confighttp.NewDefaultClientConfig()
	client.Endpoint = defaultEndpoint
	client.Timeout = defaultTimeout

	queue := exporterhelper.NewDefaultQueueConfig()
	queue.WaitForResult = true
	queue.Sizer = exporterhelper.RequestSizerTypeBytes
	queue.QueueSize = defaultQueueBytes
	queue.NumConsumers = defaultConsumers
	queue.Batch = configoptional.None[exporterhelper.BatchConfig]()

	retry := configretry.NewDefaultBackOffConfig()
	retry.InitialInterval = 200 * time.Millisecond
	retry.MaxInterval = 5 * time.Second
	retry.MaxElapsedTime = 0

	return &Config{
		ClickHouse:   client,
		Username:     defaultUsername,
		Database:     schema.DefaultDatabase,
		CreateSchema: true,
		TTLDays:      defaultTTLDays,
		Queue:        configoptional.Some(queue),
		Retry:        retry,
		BatchIDs:     BatchIDsConfig{MaxIDs: defaultBatchIDs, Remember: defaultRemember},
		Unit: UnitConfig{
			MaxAge:      defaultUnitMaxAge,
			MinRows:     defaultUnitMinRows,
			MaxRows:     defaultUnitMaxRows,
			MaxBytes:    defaultUnitMaxBytes,
			MaxInFlight: defaultUnitMaxInFlight,

			MaxHeldBytes: defaultUnitMaxHeldBytes,
		},
		MaxDeliveryBytes: defaultMaxDeliveryBytes,
		Limits:           convert.DefaultLimits(),
		Coalesce:         CoalesceConfig{MaxItems: defaultCoalesceItems, MaxBytes: defaultCoalesceBytes},
		RetryAfter:       RetryAfterConfig{Min: defaultRetryAfterMin, Max: defaultRetryAfterMax},
		DeadLetter:       DeadLetterConfig{MaxBytes: deadletter.DefaultMaxBytes},
	}
}

// Unmarshal gives a queue with storage defaults of its own: nothing waits for the
// store, and it is bounded by the disk.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if conf.IsSet("sending_queue::storage") && c.Queue.HasValue() {
		q := c.Queue.Get()
		q.WaitForResult = false
		q.QueueSize = defaultStoredQueueBytes
	}
	return conf.Unmarshal(c)
}

// durable says whether the queue is on disk.
func (c *Config) durable() bool { return c.Queue.HasValue() && c.Queue.Get().StorageID != nil }

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	u, err := url.Parse(c.ClickHouse.Endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		errs = append(errs, fmt.Errorf("clickhouse::endpoint: want a URL such as %s, got %q", defaultEndpoint, c.ClickHouse.Endpoint))
	}
	if !schema.ValidDatabase(c.Database) {
		errs = append(errs, fmt.Errorf("database: want letters, digits and underscores, at most 64, got %q", c.Database))
	}
	if c.Cluster != "" && !schema.ValidCluster(c.Cluster) {
		errs = append(errs, fmt.Errorf("cluster: want letters, digits, '_', '-' and '.', at most 64, got %q", c.Cluster))
	}
	if _, err := diskbudget.ParseLimit(c.DiskBudget); err != nil {
		errs = append(errs, fmt.Errorf("disk_budget: %w", err))
	}
	if c.TTLDays == 0 {
		errs = append(errs, errors.New("ttl_days: want a number above 0"))
	}
	if c.Queue.HasValue() {
		q := c.Queue.Get()
		if q.Batch.HasValue() {
			errs = append(errs, errors.New("sending_queue::batch: the exporter forms units of insert itself, see unit; remove it"))
		}
		if q.StorageID != nil {
			errs = append(errs, c.validateDurable()...)
		}
	}
	if c.Ledger != nil && !c.durable() {
		errs = append(errs, errors.New("ledger: want sending_queue::storage too: counts are kept in the journal with what they count"))
	}
	if c.MaxDeliveryBytes <= 0 {
		errs = append(errs, fmt.Errorf("max_delivery_bytes: want a number above 0, got %d", c.MaxDeliveryBytes))
	}
	for _, limit := range []struct {
		key string
		v   int
	}{{"max_attributes", c.Limits.MaxAttributes}, {"max_events", c.Limits.MaxEvents}, {"max_links", c.Limits.MaxLinks}} {
		if limit.v <= 0 {
			errs = append(errs, fmt.Errorf("limits::%s: want a number above 0, got %d", limit.key, limit.v))
		}
	}
	return errors.Join(errs...)
}

// validateDurable checks what only concerns a queue on disk.
func (c *Config) validateDurable() (errs []error) {
	if c.DeadLetter.Directory == "" {
		errs = append(errs, errors.New("dead_letter::directory: required with sending_queue::storage: what was acknowledged and is refused by the store goes there"))
	}
	if !c.Retry.Enabled || c.Retry.MaxElapsedTime != 0 {
		errs = append(errs, errors.New("retry_on_failure: want enabled: true and max_elapsed_time: 0 with sending_queue::storage: what was acknowledged is not given up"))
	}
	if q := c.Queue.Get(); q.Sizer != exporterhelper.RequestSizerTypeBytes {
		errs = append(errs, errors.New("sending_queue::sizer: want bytes with sending_queue::storage"))
	}
	return errs
}

// Validate speaks in the keys of the configuration.
func (c *CoalesceConfig) Validate() error {
	if c.MaxItems <= 0 || c.MaxBytes <= 0 {
		return fmt.Errorf("max_items, max_bytes: want numbers above 0, got %d and %d", c.MaxItems, c.MaxBytes)
	}
	return nil
}

// Validate speaks in the keys of the configuration.
func (c *RetryAfterConfig) Validate() error {
	if c.Min < time.Second || c.Max < c.Min {
		return fmt.Errorf("min, max: want 1s or more, and max not below min, got %s and %s", c.Min, c.Max)
	}
	return nil
}

// Validate speaks in the keys of the configuration.
func (c *DeadLetterConfig) Validate() error {
	if c.MaxBytes <= 0 {
		return fmt.Errorf("max_bytes: want a number above 0, got %d", c.MaxBytes)
	}
	return nil
}

// Validate speaks in the keys of the configuration.
func (c *UnitConfig) Validate() error {
	var errs []error
	positive := func(key string, v int) {
		if v <= 0 {
			errs = append(errs, fmt.Errorf("%s: want a number above 0, got %d", key, v))
		}
	}
	if c.MaxAge <= 0 {
		errs = append(errs, fmt.Errorf("max_age: want a duration above 0 such as 500ms, got %s", c.MaxAge))
	}
	positive("min_rows", c.MinRows)
	positive("max_rows", c.MaxRows)
	positive("max_bytes", c.MaxBytes)
	positive("max_in_flight", c.MaxInFlight)
	positive("max_held_bytes", c.MaxHeldBytes)
	if c.MaxRows > maxBlockRows {
		errs = append(errs, fmt.Errorf("max_rows: want at most %d, the store's insert block, got %d", maxBlockRows, c.MaxRows))
	}
	return errors.Join(errs...)
}

// maxBlockRows is below ClickHouse's default max_insert_block_size (1,048,449):
// an insert that is split into blocks is not deduplicated as one.
const maxBlockRows = 1_000_000
