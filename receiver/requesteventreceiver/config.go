package requesteventreceiver

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"

	"github.com/trackwayhq/trackway/internal/loopback"
)

// Defaults of the limits. Each bounds what one sender can make the collector
// hold or do.
const (
	defaultEndpoint = "127.0.0.1:4319"
	// 20 MiB inflated is what confighttp allows by default, and about 30,000 lines.
	defaultMaxRequestBytes = 20 << 20
	// Decoded, a body of ordinary lines takes two to three times as much as its text:
	// those of defaultMaxRequestBytes fit, one of ten million numbers does not.
	defaultMaxDecodedBytes = 96 << 20
	// Two or three of the largest bodies, or 90,000 ordinary lines.
	defaultMaxInflightBytes = 192 << 20
	// A line is one item; bodies are cut well below this.
	defaultMaxLineBytes = 1 << 20
	// Three times what defaultMaxRequestBytes holds of ordinary lines.
	defaultMaxItems = 100_000
	// Captured bodies are for reading, not for archiving.
	defaultMaxBodyBytes = 16 << 10
	// Adding an attribute compares it with those before it, so the work is
	// quadratic in their number.
	defaultMaxAttributes = 256
	// Equal to the retention of raw records.
	defaultMaxAge = 30 * 24 * time.Hour
	// Errors listed in an answer; all are counted.
	defaultMaxErrors = 100
	// Below confighttp's write_timeout of 30 s, after which no answer can be written.
	defaultTimeout = 25 * time.Second
	// Zero seconds of Retry-After would make refused senders spin.
	defaultRetryAfter = time.Second
)

// maxLineBytes is what the offsets of the scanner hold.
const maxLineBytes = 1 << 30

// Config of the request_event receiver.
type Config struct {
	// HTTP configures the server. It is a named field because the embedded form
	// would promote its Unmarshal method and lose the keys beside it.
	HTTP confighttp.ServerConfig `mapstructure:"http"`

	// MaxRequestBytes is the longest body accepted, before and after inflating;
	// longer ones are answered 413.
	MaxRequestBytes int64 `mapstructure:"max_request_bytes"`
	// MaxDecodedBytes is what a body may take in memory once it is decoded, beside its
	// text; what takes more is answered 413.
	MaxDecodedBytes int64 `mapstructure:"max_decoded_bytes"`
	// MaxInflightBytes bounds all bodies together that are being read, decoded and
	// delivered, in bytes of their inflated text and of what they take decoded; what
	// comes beyond it is answered 429.
	MaxInflightBytes int64 `mapstructure:"max_inflight_bytes"`
	// MaxLineBytes is the longest line; longer ones are rejected by line.
	MaxLineBytes int `mapstructure:"max_line_bytes"`
	// MaxItems is the largest number of lines in a body; more are answered 413.
	MaxItems int `mapstructure:"max_items"`
	// MaxBodyBytes is where request_body, response_body and error.stack are cut.
	MaxBodyBytes int `mapstructure:"max_body_bytes"`
	// MaxAttributes is the largest number of attributes, headers and correlation
	// keys of an item taken together.
	MaxAttributes int `mapstructure:"max_attributes"`
	// MaxAge is how old an item may be: that of the retention, since older ones
	// would be deleted at once.
	MaxAge time.Duration `mapstructure:"max_age"`
	// MaxErrors is how many rejected lines an answer describes.
	MaxErrors int `mapstructure:"max_errors"`
	// Timeout is how long the pipelines may take; a body they hold longer is
	// answered 503. It must be below http::write_timeout.
	Timeout time.Duration `mapstructure:"timeout"`
	// RetryAfter is what a refused sender is told to wait when the pipeline
	// names no time itself.
	RetryAfter time.Duration `mapstructure:"retry_after"`

	// AllowedHosts are values of the Host header accepted beside loopback names
	// where nobody has to authenticate.
	AllowedHosts []string `mapstructure:"allowed_hosts"`
	// AllowUnauthenticated permits listening beyond loopback without http::auth.
	AllowUnauthenticated bool `mapstructure:"allow_unauthenticated"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = defaultEndpoint
	http.CompressionAlgorithms = []string{"", "gzip", "zstd"}
	// A body is at most MaxRequestBytes, so a sender that needs longer than this
	// is stuck.
	http.ReadTimeout = time.Minute
	return &Config{
		HTTP:             http,
		MaxRequestBytes:  defaultMaxRequestBytes,
		MaxDecodedBytes:  defaultMaxDecodedBytes,
		MaxInflightBytes: defaultMaxInflightBytes,
		MaxLineBytes:     defaultMaxLineBytes,
		MaxItems:         defaultMaxItems,
		MaxBodyBytes:     defaultMaxBodyBytes,
		MaxAttributes:    defaultMaxAttributes,
		MaxAge:           defaultMaxAge,
		MaxErrors:        defaultMaxErrors,
		Timeout:          defaultTimeout,
		RetryAfter:       defaultRetryAfter,
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	positive := func(key string, v int64) {
		if v <= 0 {
			errs = append(errs, fmt.Errorf("%s: want a number above 0, got %d", key, v))
		}
	}
	positive("max_request_bytes", c.MaxRequestBytes)
	positive("max_decoded_bytes", c.MaxDecodedBytes)
	positive("max_line_bytes", int64(c.MaxLineBytes))
	if c.MaxInflightBytes < c.MaxRequestBytes {
		errs = append(errs, fmt.Errorf("max_inflight_bytes: want max_request_bytes (%d) or more, got %d", c.MaxRequestBytes, c.MaxInflightBytes))
	}
	if c.MaxLineBytes > maxLineBytes {
		errs = append(errs, fmt.Errorf("max_line_bytes: want at most %d, got %d", maxLineBytes, c.MaxLineBytes))
	}
	positive("max_items", int64(c.MaxItems))
	positive("max_body_bytes", int64(c.MaxBodyBytes))
	positive("max_attributes", int64(c.MaxAttributes))
	if c.MaxErrors < 0 {
		errs = append(errs, fmt.Errorf("max_errors: want 0 or more, got %d", c.MaxErrors))
	}
	if c.MaxAge <= 0 {
		errs = append(errs, fmt.Errorf("max_age: want a duration above 0 such as 720h, got %s", c.MaxAge))
	}
	if c.Timeout <= 0 || c.HTTP.WriteTimeout > 0 && c.Timeout >= c.HTTP.WriteTimeout {
		errs = append(errs, fmt.Errorf("timeout: want a duration above 0 and below http::write_timeout (%s), got %s", c.HTTP.WriteTimeout, c.Timeout))
	}
	if c.RetryAfter < time.Second {
		errs = append(errs, fmt.Errorf("retry_after: want 1s or more, since Retry-After counts in whole seconds, got %s", c.RetryAfter))
	}
	if c.HTTP.MaxRequestBodySize != 0 {
		errs = append(errs, errors.New("http::max_request_body_size: use max_request_bytes, which is named in the answer"))
	}
	if !c.authenticates() && !c.AllowUnauthenticated && !c.loopback() {
		errs = append(errs, fmt.Errorf("http::endpoint: %q is reachable from other machines and nobody has to authenticate: set http::auth, listen on 127.0.0.1, or set allow_unauthenticated: true", c.HTTP.NetAddr.Endpoint))
	}
	return errors.Join(errs...)
}

func (c *Config) authenticates() bool { return c.HTTP.Auth.HasValue() }

// loopback says whether the endpoint can be reached from this machine only.
func (c *Config) loopback() bool {
	if c.HTTP.NetAddr.Transport == "unix" {
		return true
	}
	return loopback.Endpoint(c.HTTP.NetAddr.Endpoint)
}
