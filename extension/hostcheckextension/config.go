package hostcheckextension

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/component"
)

// Config of the host_check extension.
type Config struct {
	// AllowedHosts are names accepted in the Host header beside loopback ones.
	AllowedHosts []string `mapstructure:"allowed_hosts"`
	// AllowedOrigins are values of the Origin header accepted; none by default.
	AllowedOrigins []string `mapstructure:"allowed_origins"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config { return &Config{} }

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	for i, host := range c.AllowedHosts {
		if host == "" || strings.ContainsAny(host, ":/*") {
			return fmt.Errorf("allowed_hosts::%d: want a name without scheme, port or pattern, got %q", i, host)
		}
	}
	for i, origin := range c.AllowedOrigins {
		if !strings.Contains(origin, "://") {
			return fmt.Errorf("allowed_origins::%d: want an origin such as https://example.com, got %q", i, origin)
		}
	}
	return nil
}
