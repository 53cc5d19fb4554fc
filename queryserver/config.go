package queryserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"

	"github.com/trackwayhq/trackway/internal/keyedhash"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/queryserver/metadata"
	"github.com/trackwayhq/trackway/queryserver/sqlmode"
)

// Config is the query server's configuration file.
type Config struct {
	// Listen is the address of API and UI, host:port. Port 0 picks one.
	Listen string `mapstructure:"listen"`
	// Hosts are names, besides those of this machine, under which requests are
	// answered: that of a proxy in front, for one.
	Hosts []string `mapstructure:"hosts"`
	// Projects are ids that can be asked about, besides those of the metadata store.
	Projects []string `mapstructure:"projects"`
	// Retention is how far back listings look unless told.
	Retention  time.Duration    `mapstructure:"retention"`
	ClickHouse ClickHouseConfig `mapstructure:"clickhouse"`
	LiveTail   LiveTailConfig   `mapstructure:"live_tail"`
	Metadata   MetadataConfig   `mapstructure:"metadata"`
	Secrets    SecretsConfig    `mapstructure:"secrets"`
	SQL        SQLConfig        `mapstructure:"sql"`
	Accounts   AccountsConfig   `mapstructure:"accounts"`
}

// SQLConfig says as whom and within which limits statements of SQL mode run.
type SQLConfig struct {
	sqlmode.Config `mapstructure:",squash"`
	Password       Secret `mapstructure:"password"`
}

// ClickHouseConfig says where the store is.
type ClickHouseConfig struct {
	// Endpoint is the URL of the ClickHouse HTTP interface.
	Endpoint string `mapstructure:"endpoint"`
	Username string `mapstructure:"username"`
	Password Secret `mapstructure:"password"`
	Database string `mapstructure:"database"`
	// Timeout bounds one statement.
	Timeout time.Duration `mapstructure:"timeout"`
}

// LiveTailConfig says where collectors publish what they accept.
type LiveTailConfig struct {
	// Endpoints are the URLs of live_tail extensions.
	Endpoints []string `mapstructure:"endpoints"`
}

// MetadataConfig says where projects and ingest keys are kept.
type MetadataConfig struct {
	// DSN is sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE. Empty:
	// there are the configured projects and no keys.
	DSN Secret `mapstructure:"dsn"`
	// PollInterval is how often it is asked for changes of other processes.
	PollInterval time.Duration `mapstructure:"poll_interval"`
}

// SecretsConfig holds what other parts of an installation present.
type SecretsConfig struct {
	// InternalToken lets collectors get key hashes at /internal/keys. Empty: nobody
	// gets them.
	InternalToken Secret `mapstructure:"internal_token"`
	// CorrelationHash is how collectors hash values of correlation keys.
	CorrelationHash CorrelationHashConfig `mapstructure:"correlation_hash"`
}

// CorrelationHashConfig repeats hash of the correlation processors, so that what
// people type finds what is stored.
type CorrelationHashConfig struct {
	Secret Secret `mapstructure:"secret"`
	// Keys whose values are hashed; * is every key.
	Keys []string `mapstructure:"keys"`
}

// Secret is a string that does not print itself.
type Secret string

// String hides the value.
func (Secret) String() string { return "[redacted]" }

// GoString hides the value.
func (Secret) GoString() string { return "[redacted]" }

// DefaultConfig is a single machine's: everything on loopback.
func DefaultConfig() Config {
	return Config{
		Listen:    "127.0.0.1:8080",
		Projects:  []string{"default"},
		Retention: 30 * 24 * time.Hour,
		ClickHouse: ClickHouseConfig{
			Endpoint: "http://127.0.0.1:8123",
			Username: "default",
			Database: schema.DefaultDatabase,
			Timeout:  30 * time.Second,
		},
		LiveTail: LiveTailConfig{Endpoints: []string{"http://127.0.0.1:4320"}},
		Metadata: MetadataConfig{PollInterval: time.Second},
		SQL:      SQLConfig{Config: sqlmode.DefaultConfig()},
	}
}

// LoadConfig reads a YAML file with ${env:NAME:-default} in it, in the dialect
// of the collector. Keys that do not exist and values that cannot be are errors
// that name the key.
func LoadConfig(ctx context.Context, path string) (Config, error) {
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              []string{"file:" + path},
		ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory(), envprovider.NewFactory()},
		DefaultScheme:     "env",
	})
	if err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	conf, err := resolver.Resolve(ctx)
	if err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	if err := resolver.Shutdown(ctx); err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	cfg := DefaultConfig()
	if err := conf.Unmarshal(&cfg); err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	if err := cfg.Validate(); err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	return cfg, nil
}

// minTokenLen keeps words out of secrets.internal_token.
const minTokenLen = 16

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Validate says everything that is wrong, by the keys of the file.
func (c Config) Validate() error {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
	if host, _, err := net.SplitHostPort(c.Listen); err != nil {
		wrong("listen", "want host:port, got %q", c.Listen)
	} else if !isLoopback(host) && !c.Accounts.Required {
		wrong("listen", "%q is reachable from other machines: set accounts.required, or listen on 127.0.0.1, put a proxy that authenticates in front, and name it in hosts", c.Listen)
	}
	if c.Accounts.Required && c.Metadata.DSN == "" {
		wrong("accounts.required", "there are no tokens without metadata.dsn: set it too")
	}
	if len(c.Projects) == 0 {
		wrong("projects", "want at least one")
	}
	for i, p := range c.Projects {
		if metadata.CheckProjectID(p) != nil {
			wrong(fmt.Sprintf("projects[%d]", i), "want 1 to 40 of a-z, 0-9 and -, got %q", p)
		}
	}
	if c.Retention <= 0 {
		wrong("retention", "want a positive duration such as 720h, got %s", c.Retention)
	}
	if _, err := parseEndpoint(c.ClickHouse.Endpoint); err != nil {
		wrong("clickhouse.endpoint", "%s", err)
	}
	if !identifier.MatchString(c.ClickHouse.Database) {
		wrong("clickhouse.database", "want letters, digits and underscores, got %q", c.ClickHouse.Database)
	}
	if c.ClickHouse.Timeout < time.Millisecond {
		wrong("clickhouse.timeout", "want a positive duration such as 30s, got %s", c.ClickHouse.Timeout)
	}
	for i, e := range c.LiveTail.Endpoints {
		if _, err := parseEndpoint(e); err != nil {
			wrong(fmt.Sprintf("live_tail.endpoints[%d]", i), "%s", err)
		}
	}
	if c.Metadata.DSN != "" {
		if err := metadata.CheckDSN(string(c.Metadata.DSN)); err != nil {
			wrong("metadata.dsn", "%s", err)
		}
	}
	if c.Metadata.PollInterval < 10*time.Millisecond {
		wrong("metadata.poll_interval", "want a duration of at least 10ms, such as 1s, got %s", c.Metadata.PollInterval)
	}
	if token := c.Secrets.InternalToken; token != "" && len(token) < minTokenLen {
		wrong("secrets.internal_token", "want at least %d characters, got %d", minTokenLen, len(token))
	}
	if c.Secrets.InternalToken != "" && c.Metadata.DSN == "" {
		wrong("secrets.internal_token", "there are no keys to give without metadata.dsn: set both or neither")
	}
	c.SQL.Check(wrong)
	if c.SQL.Username == "" && c.SQL.Password != "" {
		wrong("sql.password", "there is no sql.username it could be of: set both or neither")
	}
	if hash := c.Secrets.CorrelationHash; len(hash.Keys) > 0 && len(hash.Secret) < keyedhash.MinSecret {
		wrong("secrets.correlation_hash.secret", "want the secret of the correlation processors, at least %d characters, got %d", keyedhash.MinSecret, len(hash.Secret))
	}
	for i, key := range c.Secrets.CorrelationHash.Keys {
		if key == "" {
			wrong(fmt.Sprintf("secrets.correlation_hash.keys[%d]", i), "want a correlation key such as user_id, or *, got nothing")
		}
	}
	return errors.Join(errs...)
}

// parseEndpoint reads the URL of an HTTP server.
func parseEndpoint(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("want a URL such as http://127.0.0.1:8123, got %q", s)
	}
	return u, nil
}

// isLoopback says whether a host name is this machine and nothing else.
func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
