package correlationprocessor

import (
	"errors"
	"fmt"
	"regexp"

	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/conventions"
)

const (
	// A record with more keys than this carries attributes, not keys: every key
	// becomes a row of the journey table.
	defaultMaxKeys = 16
	// Long enough for any id and for an e-mail address (RFC 5321: 254).
	defaultMaxValueLength = 256
)

// KeyConfig names the attributes that give one correlation key.
type KeyConfig struct {
	// Key is the name of the correlation key, for example user_id.
	Key string `mapstructure:"key"`
	// From are the attributes to take it from; the first that is there counts.
	// The record's own come before those of its resource.
	From []string `mapstructure:"from"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// Config of the correlation processor.
type Config struct {
	// Keys are the keys to make. Setting it replaces the default list.
	Keys []KeyConfig `mapstructure:"keys"`
	// AdditionalKeys are made beside Keys.
	AdditionalKeys []KeyConfig `mapstructure:"additional_keys"`
	// Rename gives keys that senders set themselves (correlation.<key>) the name
	// that is used here: old name to new.
	Rename map[string]string `mapstructure:"rename"`
	// BaggagePrefix, when set, makes a key of every attribute that begins with
	// it: with "baggage.", baggage.order_id becomes correlation.order_id.
	BaggagePrefix string `mapstructure:"baggage_prefix"`
	// MaxKeys is the largest number of keys of a record.
	MaxKeys int `mapstructure:"max_keys"`
	// MaxValueLength is the longest value of a key, in bytes. A longer one is left
	// out, since a cut one would join what does not belong together.
	MaxValueLength int `mapstructure:"max_value_length"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func defaultKeys() []KeyConfig {
	return []KeyConfig{
		{Key: "user_id", From: []string{"user.id", "enduser.id", "app.user_id"}},
		{Key: "session_id", From: []string{"session.id", "app.session_id"}},
		{Key: "request_id", From: []string{conventions.RequestID, "http.request.header.x-request-id"}},
		{Key: "account_id", From: []string{"account.id", "app.account_id", "tenant.id"}},
		{Key: "order_id", From: []string{"order.id", "app.order_id"}},
	}
}

func createDefaultConfig() component.Config {
	return &Config{Keys: defaultKeys(), MaxKeys: defaultMaxKeys, MaxValueLength: defaultMaxValueLength}
}

// keyName is what a key may be called: it stands in URLs and in the filter
// language.
var keyName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

const wantKeyName = "want 1 to 64 letters, digits, '_', '.' and '-'"

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	seen := map[string]bool{}
	check := func(setting string, keys []KeyConfig) {
		for i, k := range keys {
			at := fmt.Sprintf("%s::%d", setting, i)
			switch {
			case !keyName.MatchString(k.Key):
				errs = append(errs, fmt.Errorf("%s::key: %s, got %q", at, wantKeyName, k.Key))
			case seen[k.Key]:
				errs = append(errs, fmt.Errorf("%s::key: %q is there already: name all its attributes in one from", at, k.Key))
			}
			seen[k.Key] = true
			if len(k.From) == 0 {
				errs = append(errs, fmt.Errorf("%s::from: want the names of one or more attributes, got none", at))
			}
			for j, from := range k.From {
				if from == "" {
					errs = append(errs, fmt.Errorf("%s::from::%d: want the name of an attribute, got nothing", at, j))
				}
			}
		}
	}
	check("keys", c.Keys)
	check("additional_keys", c.AdditionalKeys)
	for from, to := range c.Rename {
		if from == "" || !keyName.MatchString(to) {
			errs = append(errs, fmt.Errorf("rename::%s: %s, got %q", from, wantKeyName, to))
		}
	}
	if c.MaxKeys <= 0 {
		errs = append(errs, fmt.Errorf("max_keys: want a number above 0, got %d", c.MaxKeys))
	}
	if c.MaxValueLength <= 0 {
		errs = append(errs, fmt.Errorf("max_value_length: want a number of bytes above 0, got %d", c.MaxValueLength))
	}
	return errors.Join(errs...)
}
