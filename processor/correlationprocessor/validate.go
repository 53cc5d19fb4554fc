package correlationprocessor

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// maxKeyName is the longest name of a key, in bytes.
const maxKeyName = 64

// keyName is what a key may be called: it stands in URLs and in the filter
// language.
var keyName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

const wantKeyName = "want 1 to 64 letters, digits, '_', '.' and '-'"

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	c.validateKeys(fail)
	for i, text := range c.Paths {
		if _, err := parseTemplate(text); err != nil {
			fail("paths::%d: %w", i, err)
		}
	}
	for from, to := range c.Rename {
		if from == "" || !keyName.MatchString(to) {
			fail("rename::%s: %s, got %q", from, wantKeyName, to)
		}
	}
	for key, n := range c.Normalize {
		for i, r := range n.Replace {
			if _, err := regexp.Compile(r.Pattern); err != nil || r.Pattern == "" {
				fail("normalize::%s::replace::%d::pattern: want an RE2 expression, got %q: %w", key, i, r.Pattern, err)
			}
		}
	}
	if len(c.Hash.Keys) > 0 && len(c.Hash.Secret) < keyedhash.MinSecret {
		fail("hash::secret: want at least %d bytes, got %d", keyedhash.MinSecret, len(c.Hash.Secret))
	}
	if len(c.Hash.Keys) == 0 && c.Hash.Secret != "" {
		fail(`hash::keys: want the keys to hash, or "*", got none`)
	}
	c.CarryForward.validate(fail)
	if c.MaxKeys <= 0 {
		fail("max_keys: want a number above 0, got %d", c.MaxKeys)
	}
	if c.MaxValueLength <= 0 {
		fail("max_value_length: want a number of bytes above 0, got %d", c.MaxValueLength)
	}
	if c.MaxDistinctKeys < 0 {
		fail("max_distinct_keys: want 0 or more, got %d", c.MaxDistinctKeys)
	}
	return errors.Join(errs...)
}

type failFunc func(format string, args ...any)

func (c *Config) validateKeys(fail failFunc) {
	seen := map[string]bool{}
	for _, list := range [...]struct {
		setting string
		keys    []KeyConfig
	}{{"keys", c.Keys}, {"additional_keys", c.AdditionalKeys}} {
		for i := range list.keys {
			k := &list.keys[i]
			at := fmt.Sprintf("%s::%d", list.setting, i)
			switch {
			case !keyName.MatchString(k.Key):
				fail("%s::key: %s, got %q", at, wantKeyName, k.Key)
			case seen[k.Key]:
				fail("%s::key: %q is there already: name all its attributes in one from", at, k.Key)
			}
			seen[k.Key] = true
			k.validateSources(at, fail)
		}
	}
}

func (k *KeyConfig) validateSources(at string, fail failFunc) {
	named := 0
	for _, list := range [...]struct {
		setting, what string
		names         []string
	}{
		{"from", "an attribute", k.From},
		{"headers", "a header", k.Headers},
		{"baggage", "a member of the baggage", k.Baggage},
		{"query", "a parameter", k.Query},
	} {
		named += len(list.names)
		if i := slices.Index(list.names, ""); i >= 0 {
			fail("%s::%s::%d: want the name of %s, got nothing", at, list.setting, i, list.what)
		}
	}
	for i, path := range k.Body {
		if !validBodyPath(path) {
			fail("%s::body::%d: want names joined by dots, such as order.items.0.id, got %q", at, i, path)
		}
	}
	if named+len(k.Body) == 0 {
		fail("%s::from: want the names of one or more attributes, got none", at)
	}
}

func (c *CarryConfig) validate(fail failFunc) {
	if c.MaxTraces < 0 {
		fail("carry_forward::max_traces: want 0 or more, got %d", c.MaxTraces)
	}
	if c.MaxTraces > 0 && c.MaxBytes <= 0 {
		fail("carry_forward::max_bytes: want a number of bytes above 0, got %d", c.MaxBytes)
	}
	if c.MaxTraces > 0 && c.TTL <= 0 {
		fail("carry_forward::ttl: want a time above 0, got %s", c.TTL)
	}
	for i, k := range c.Keys {
		if !keyName.MatchString(k) {
			fail("carry_forward::keys::%d: %s, got %q", i, wantKeyName, k)
		}
	}
}
