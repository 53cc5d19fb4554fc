package ledgerextension

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/trackwayhq/trackway/internal/schema"
)

// Defaults.
const (
	defaultEndpoint = "http://127.0.0.1:8123"
	defaultUsername = "default"
	defaultTimeout  = 30 * time.Second
	// An insert of a few rows costs the engine some 10 ms, whatever it holds.
	defaultInterval = 10 * time.Second
	// Some 30,000 rows: a thousand projects while the store is away for half an hour.
	defaultMaxBytes = 16 << 20
	minMaxBytes     = 64 << 10
)

// Config of the ledger extension.
type Config struct {
	// Storage is the journal_storage extension that the exporter's queue uses too.
	Storage *component.ID `mapstructure:"storage"`
	// ClickHouse is the HTTP interface of the store.
	ClickHouse confighttp.ClientConfig `mapstructure:"clickhouse"`
	// Username and Password authenticate at the store.
	Username string              `mapstructure:"username"`
	Password configopaque.String `mapstructure:"password"`
	// Database holds the table delivery_ledger, which the exporter creates with the
	// rest of the schema.
	Database string `mapstructure:"database"`
	// Interval is how often counts are written to the journal and the table.
	Interval time.Duration `mapstructure:"interval"`
	// MaxBytes bounds the memory for counts that are not yet in the table. Beyond
	// it, minutes share rows: sums stay right, their times become coarser.
	MaxBytes int `mapstructure:"max_bytes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	client := confighttp.NewDefaultClientConfig()
	client.Endpoint = defaultEndpoint
	client.Timeout = defaultTimeout
	return &Config{
		ClickHouse: client, Username: defaultUsername, Database: schema.DefaultDatabase,
		Interval: defaultInterval, MaxBytes: defaultMaxBytes,
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	if c.Storage == nil {
		errs = append(errs, errors.New("storage: required; name the journal_storage extension of the exporter's sending_queue"))
	}
	u, err := url.Parse(c.ClickHouse.Endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		errs = append(errs, fmt.Errorf("clickhouse::endpoint: want a URL such as %s, got %q", defaultEndpoint, c.ClickHouse.Endpoint))
	}
	if !schema.ValidDatabase(c.Database) {
		errs = append(errs, fmt.Errorf("database: want letters, digits and underscores, at most 64, got %q", c.Database))
	}
	if c.Interval <= 0 {
		errs = append(errs, fmt.Errorf("interval: want a duration above 0 such as 10s, got %s", c.Interval))
	}
	if c.MaxBytes < minMaxBytes {
		errs = append(errs, fmt.Errorf("max_bytes: want at least %d, got %d", minMaxBytes, c.MaxBytes))
	}
	return errors.Join(errs...)
}
