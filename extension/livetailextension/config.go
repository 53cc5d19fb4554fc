package livetailextension

import (
	"errors"
	"fmt"
	"net"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
)

// Defaults.
const (
	defaultEndpoint = "127.0.0.1:4320"
	// Query servers share a connection between readers with the same filter.
	defaultMaxSubscribers = 64
	// More than anybody reads, and what a page can draw.
	defaultMaxRecordsPerSecond = 1000
	// A second's worth, for a reader that stalls that long.
	defaultBufferRecords = 1000
	defaultBufferBytes   = 4 << 20
)

// Config of the live_tail extension.
type Config struct {
	// HTTP configures the server. It is a named field because the embedded form
	// would promote its Unmarshal method and lose the keys beside it.
	HTTP confighttp.ServerConfig `mapstructure:"http"`
	// MaxSubscribers is how many may listen at a time; more are answered 429.
	MaxSubscribers int `mapstructure:"max_subscribers"`
	// MaxRecordsPerSecond is how many records a subscriber is sent in a second.
	MaxRecordsPerSecond int `mapstructure:"max_records_per_second"`
	// BufferRecords and BufferBytes are how far a slow subscriber may lag.
	BufferRecords int `mapstructure:"buffer_records"`
	BufferBytes   int `mapstructure:"buffer_bytes"`
	// AllowedHosts are values of the Host header accepted beside loopback names
	// where nobody has to authenticate.
	AllowedHosts []string `mapstructure:"allowed_hosts"`
	// AllowUnauthenticated permits listening beyond loopback without http::auth.
	AllowUnauthenticated bool `mapstructure:"allow_unauthenticated"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	server := confighttp.NewDefaultServerConfig()
	server.NetAddr.Endpoint = defaultEndpoint
	server.WriteTimeout = 0 // a stream has no end; single writes have a deadline
	return &Config{
		HTTP:                server,
		MaxSubscribers:      defaultMaxSubscribers,
		MaxRecordsPerSecond: defaultMaxRecordsPerSecond,
		BufferRecords:       defaultBufferRecords,
		BufferBytes:         defaultBufferBytes,
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	for _, limit := range []struct {
		key string
		v   int
	}{
		{"max_subscribers", c.MaxSubscribers},
		{"max_records_per_second", c.MaxRecordsPerSecond},
		{"buffer_records", c.BufferRecords},
		{"buffer_bytes", c.BufferBytes},
	} {
		if limit.v <= 0 {
			errs = append(errs, fmt.Errorf("%s: want a number above 0, got %d", limit.key, limit.v))
		}
	}
	if c.HTTP.WriteTimeout != 0 {
		errs = append(errs, errors.New("http::write_timeout: it would cut every stream; remove it"))
	}
	if !c.HTTP.Auth.HasValue() && !c.AllowUnauthenticated && !c.loopback() {
		errs = append(errs, fmt.Errorf("http::endpoint: %q is reachable from other machines and nobody has to authenticate: set http::auth, listen on 127.0.0.1, or set allow_unauthenticated: true",
			c.HTTP.NetAddr.Endpoint))
	}
	return errors.Join(errs...)
}

// loopback says whether only this machine reaches the endpoint.
func (c *Config) loopback() bool {
	if c.HTTP.NetAddr.Transport == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(c.HTTP.NetAddr.Endpoint)
	return err == nil && loopbackHost(host)
}

func loopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// hostAllowed says whether a Host header names this machine: a name that a web
// page's owner made resolve to 127.0.0.1 does not.
func (c *Config) hostAllowed(header string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	return loopbackHost(host) || slices.Contains(c.AllowedHosts, host)
}
