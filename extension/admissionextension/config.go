package admissionextension

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
)

const (
	// What the collector's HTTP servers allow by default, and about 30,000 lines.
	defaultMaxRequestBytes = 20 << 20
	// gRPC's own default.
	defaultMaxMessageBytes = 4 << 20
	// Decoded, an ordinary body is two to five times as large: those of
	// defaultMaxRequestBytes fit, a million events on a span do not.
	defaultMaxDecodedBytes = 96 << 20
	// Two of the largest requests, or some dozens of ordinary batches.
	defaultMaxInProgressBytes = 256 << 20
	// 32 MiB: gRPC takes the first 64 KiB of a message without being asked.
	defaultMaxWaitingCalls = 512
	// A body of defaultMaxRequestBytes over a line of 6 Mbit/s.
	defaultReceiveTimeout = 30 * time.Second
	// Exporters send what they gathered in some seconds at once.
	defaultBurst = 10 * time.Second
	// How much of a daily cap a crash can forget.
	defaultFlushInterval = time.Second
	// About 2 MB of state.
	defaultMaxProjects = 10_000
)

// Config of the admission extension.
type Config struct {
	// MaxRequestBytes is the longest HTTP body, inflated; longer ones are answered 413.
	MaxRequestBytes int64 `mapstructure:"max_request_bytes"`
	// MaxMessageBytes is the longest gRPC message, inflated. The server is told, so
	// it replaces max_recv_msg_size_mib.
	MaxMessageBytes int64 `mapstructure:"max_message_bytes"`
	// MaxDecodedBytes is what an OTLP request may take in memory once it is decoded,
	// beside its texts; what takes more is answered 413 before it is decoded. A body's
	// length does not bound this: an empty span has 2 bytes and takes 256.
	MaxDecodedBytes int64 `mapstructure:"max_decoded_bytes"`
	// MaxInProgressBytes bounds all requests in progress: their inflated bytes, and
	// those that OTLP requests take decoded.
	// An HTTP body that would exceed it is answered 429. A gRPC call counts as
	// MaxMessageBytes until its message is there, and waits unread where these are not
	// to be had.
	MaxInProgressBytes int64 `mapstructure:"max_in_progress_bytes"`
	// MaxWaitingCalls is how many gRPC calls may wait so; more are refused. Each
	// holds 64 KiB at most.
	MaxWaitingCalls int `mapstructure:"max_waiting_calls"`
	// ReceiveTimeout is how long a body or message may take to arrive.
	ReceiveTimeout time.Duration `mapstructure:"receive_timeout"`

	// Authenticator makes gRPC calls be authenticated by this extension before
	// their message is received. The receiver's own auth comes after that.
	Authenticator *component.ID `mapstructure:"authenticator"`
	// AuthAttribute is the attribute of the authentication context that names the
	// project. Requests without one share the limits of one project.
	AuthAttribute string `mapstructure:"auth_attribute"`

	// Limits are those of projects that have none of their own.
	Limits admission.Limits `mapstructure:"limits"`
	// Burst is how long a project may have been silent and then send at once what
	// its rate allows for that time.
	Burst time.Duration `mapstructure:"burst"`
	// UsageFile keeps what projects sent today, for their daily limits, over a
	// restart. Empty keeps nothing.
	UsageFile string `mapstructure:"usage_file"`
	// FlushInterval is how often it is written.
	FlushInterval time.Duration `mapstructure:"flush_interval"`
	// MaxProjects bounds the number of projects with limits.
	MaxProjects int `mapstructure:"max_projects"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	return &Config{
		MaxRequestBytes:    defaultMaxRequestBytes,
		MaxMessageBytes:    defaultMaxMessageBytes,
		MaxDecodedBytes:    defaultMaxDecodedBytes,
		MaxInProgressBytes: defaultMaxInProgressBytes,
		MaxWaitingCalls:    defaultMaxWaitingCalls,
		ReceiveTimeout:     defaultReceiveTimeout,
		AuthAttribute:      conventions.Project,
		Burst:              defaultBurst,
		FlushInterval:      defaultFlushInterval,
		MaxProjects:        defaultMaxProjects,
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	for _, limit := range []struct {
		key      string
		v, least int64
	}{
		{"max_request_bytes", c.MaxRequestBytes, 1},
		{"max_message_bytes", c.MaxMessageBytes, 1},
		{"max_decoded_bytes", c.MaxDecodedBytes, 1},
		{"max_waiting_calls", int64(c.MaxWaitingCalls), 1},
		{"max_projects", int64(c.MaxProjects), 1},
		{"limits::items_per_second", c.Limits.ItemsPerSecond, 0},
		{"limits::bytes_per_second", c.Limits.BytesPerSecond, 0},
		{"limits::items_per_day", c.Limits.ItemsPerDay, 0},
		{"limits::bytes_per_day", c.Limits.BytesPerDay, 0},
	} {
		if limit.v < limit.least {
			errs = append(errs, fmt.Errorf("%s: want a number of %d or more, got %d", limit.key, limit.least, limit.v))
		}
	}
	if least := max(c.MaxRequestBytes, c.MaxMessageBytes) + c.MaxDecodedBytes; c.MaxInProgressBytes < least {
		errs = append(errs, fmt.Errorf("max_in_progress_bytes: want at least max_decoded_bytes and the larger of max_request_bytes and max_message_bytes together (%d), got %d", least, c.MaxInProgressBytes))
	}
	for _, d := range []struct {
		key string
		v   time.Duration
	}{{"receive_timeout", c.ReceiveTimeout}, {"burst", c.Burst}, {"flush_interval", c.FlushInterval}} {
		if d.v <= 0 {
			errs = append(errs, fmt.Errorf("%s: want a duration above 0 such as 10s, got %s", d.key, d.v))
		}
	}
	if c.AuthAttribute == "" {
		errs = append(errs, fmt.Errorf("auth_attribute: want the name of an attribute of the authentication context, got nothing; leave the key out for %q", conventions.Project))
	}
	return errors.Join(errs...)
}
