package projectauthextension

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/trackwayhq/trackway/internal/conventions"
)

const (
	// A collector can go without its query server over a night and a morning;
	// for that long it also takes keys that were revoked meanwhile.
	defaultMaxStale = 24 * time.Hour
	// Long enough to cost nothing, and below the idle timeouts of most proxies.
	defaultWait = 30 * time.Second
	// answerGrace is how much longer than wait an answer may take.
	answerGrace = 15 * time.Second
	// About 200,000 keys.
	defaultMaxTableBytes = 32 << 20
	// minKeyLen keeps words out of the configuration; generated keys have 30.
	minKeyLen = 16
)

// Config of the project_auth extension.
type Config struct {
	// QueryServer is where keys come from: endpoint, tls, timeout … Without an
	// endpoint only the configured keys count.
	QueryServer confighttp.ClientConfig `mapstructure:"query_server"`
	// Token is what the query server knows this collector by.
	Token configopaque.String `mapstructure:"token"`
	// CacheFile keeps the last answer, so that a start does not need the query
	// server. Empty keeps nothing.
	CacheFile string `mapstructure:"cache_file"`
	// MaxStale is how old the last answer may be before every key but the
	// configured ones is refused.
	MaxStale time.Duration `mapstructure:"max_stale"`
	// Wait is how long the query server may hold a request until a key changes.
	Wait time.Duration `mapstructure:"wait"`
	// MaxTableBytes is the longest answer that is taken.
	MaxTableBytes int64 `mapstructure:"max_table_bytes"`
	// Keys are valid whatever the query server says.
	Keys []KeyConfig `mapstructure:"keys"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// KeyConfig is a key of the configuration: the key itself, or its hash.
type KeyConfig struct {
	Key configopaque.String `mapstructure:"key"`
	// Hash is the SHA-256 of the whole key in 64 hexadecimal digits.
	Hash    configopaque.String `mapstructure:"hash"`
	Project string              `mapstructure:"project"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	client := confighttp.NewDefaultClientConfig()
	client.Timeout = defaultWait + answerGrace
	return &Config{
		QueryServer:   client,
		MaxStale:      defaultMaxStale,
		Wait:          defaultWait,
		MaxTableBytes: defaultMaxTableBytes,
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	switch {
	case c.QueryServer.Endpoint != "":
		errs = append(errs, c.validateQueryServer())
	case len(c.Keys) == 0:
		errs = append(errs, errors.New("query_server::endpoint: required unless there are keys, such as https://trackway.example"))
	case c.CacheFile != "":
		errs = append(errs, errors.New("cache_file: there is nothing to keep without query_server::endpoint; remove it"))
	}
	for i := range c.Keys {
		if err := c.Keys[i].validate(); err != nil {
			errs = append(errs, fmt.Errorf("keys::%d::%w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) validateQueryServer() error {
	var errs []error
	if u, err := url.Parse(c.QueryServer.Endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		errs = append(errs, fmt.Errorf("query_server::endpoint: want a URL such as https://trackway.example, got %q", c.QueryServer.Endpoint))
	}
	if c.Token == "" {
		errs = append(errs, errors.New("token: required with query_server::endpoint; it is what the query server has for its collectors"))
	}
	if c.MaxStale <= 0 {
		errs = append(errs, fmt.Errorf("max_stale: want a duration above 0 such as 24h, got %s", c.MaxStale))
	}
	if c.Wait < 0 {
		errs = append(errs, fmt.Errorf("wait: want a duration of 0 or more such as 30s, got %s", c.Wait))
	}
	if c.QueryServer.Timeout > 0 && c.QueryServer.Timeout <= c.Wait {
		errs = append(errs, fmt.Errorf("query_server::timeout: want more than wait (%s), got %s", c.Wait, c.QueryServer.Timeout))
	}
	if c.MaxTableBytes <= 0 {
		errs = append(errs, fmt.Errorf("max_table_bytes: want a number above 0, got %d", c.MaxTableBytes))
	}
	return errors.Join(errs...)
}

func (k *KeyConfig) validate() error {
	if !conventions.ValidProject(k.Project) {
		return fmt.Errorf("project: want 1 to 40 characters of a-z, 0-9 and -, got %q", k.Project)
	}
	if (k.Key == "") == (k.Hash == "") {
		return errors.New("key: want either key or hash")
	}
	if k.Hash != "" {
		if _, err := parseHash(string(k.Hash)); err != nil {
			return fmt.Errorf("hash: %w", err)
		}
		return nil
	}
	if len(k.Key) < minKeyLen || len(k.Key) > maxKeyLen || !validKey(string(k.Key)) {
		return fmt.Errorf("key: want %d to %d characters of A-Z, a-z, 0-9 and -._~+/=, got %d bytes", minKeyLen, maxKeyLen, len(k.Key))
	}
	return nil
}

// parseHash reads the hexadecimal form of a key's hash.
func parseHash(s string) (hash, error) {
	var h hash
	if hex.DecodedLen(len(s)) != len(h) {
		return h, fmt.Errorf("want the SHA-256 of the key in %d hexadecimal digits, got %d characters", hex.EncodedLen(len(h)), len(s))
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return h, fmt.Errorf("want the SHA-256 of the key in %d hexadecimal digits, some are not", hex.EncodedLen(len(h)))
	}
	return h, nil
}
