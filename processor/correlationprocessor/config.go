package correlationprocessor

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/trackwayhq/trackway/internal/conventions"
)

const (
	// A record with more keys than this carries attributes, not keys: every key
	// becomes a row of the journey table.
	defaultMaxKeys = 16
	// Long enough for any id and for an e-mail address (RFC 5321: 254).
	defaultMaxValueLength = 256
	// Names of keys come from code, not from data. Names beyond this many are made
	// of values, and each would cost the store a dictionary entry.
	defaultMaxDistinctKeys = 256
	// As long as the spans of most traces take to arrive.
	defaultCarryTTL = 5 * time.Minute
	// Enough for 40,000 traces with three keys each.
	defaultCarryBytes = 16 << 20
)

// KeyConfig says where one correlation key is taken from. What is there first, in
// the order of these fields and in that of their lists, counts.
type KeyConfig struct {
	// Key is the name of the correlation key, for example user_id.
	Key string `mapstructure:"key"`
	// From are attributes. The record's own come before those of its resource.
	From []string `mapstructure:"from"`
	// Headers are captured request headers, attributes http.request.header.<name>.
	Headers []string `mapstructure:"headers"`
	// Baggage are members of the baggage: attributes baggage.<name>, members of a
	// captured baggage header, or of the attribute baggage.
	Baggage []string `mapstructure:"baggage"`
	// Query are parameters of the URL's query.
	Query []string `mapstructure:"query"`
	// Body are dotted paths into a captured JSON request body; a number is an
	// index of an array: items.0.id.
	Body []string `mapstructure:"body"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// NormalizeConfig makes spellings of one value equal, in the order of its fields.
type NormalizeConfig struct {
	// Trim takes white space off both ends.
	Trim bool `mapstructure:"trim"`
	// Lower folds to lower case.
	Lower bool `mapstructure:"lower"`
	// Replace replaces what matches, one after the other.
	Replace []ReplaceConfig `mapstructure:"replace"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// ReplaceConfig replaces every match of an RE2 expression.
type ReplaceConfig struct {
	Pattern string `mapstructure:"pattern"`
	// With may refer to groups of the pattern: ${1}.
	With string `mapstructure:"with"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// HashConfig makes values unreadable but joinable, by HMAC-SHA-256.
type HashConfig struct {
	// Secret of the HMAC. The query server hashes what is typed with the same.
	Secret configopaque.String `mapstructure:"secret"`
	// Keys whose values are hashed; * is every key.
	Keys []string `mapstructure:"keys"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// CarryConfig is about keys that are carried forward within a trace.
type CarryConfig struct {
	// MaxTraces is how many traces are remembered; the one that was silent for the
	// longest is forgotten. 0 carries nothing.
	MaxTraces int `mapstructure:"max_traces"`
	// MaxBytes bounds what is remembered of them.
	MaxBytes int `mapstructure:"max_bytes"`
	// TTL is how long a silent trace is remembered.
	TTL time.Duration `mapstructure:"ttl"`
	// Keys are the ones that are carried; all when empty.
	Keys []string `mapstructure:"keys"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// Config of the correlation processor.
type Config struct {
	// Keys are the keys to make. Setting it replaces the default list.
	Keys []KeyConfig `mapstructure:"keys"`
	// AdditionalKeys are made beside Keys.
	AdditionalKeys []KeyConfig `mapstructure:"additional_keys"`
	// Paths are templates of URL paths, such as /orders/{order_id}/items/*, which
	// give the keys they name. The first that matches counts.
	Paths []string `mapstructure:"paths"`
	// Rename gives keys that senders set themselves (correlation.<key>) the name
	// that is used here: old name to new.
	Rename map[string]string `mapstructure:"rename"`
	// BaggagePrefix, when set, makes a key of every attribute that begins with
	// it: with "baggage.", baggage.order_id becomes correlation.order_id; and of
	// every member of a captured baggage header or of the attribute baggage.
	BaggagePrefix string `mapstructure:"baggage_prefix"`
	// Normalize is how values of a key are made equal, by key.
	Normalize map[string]NormalizeConfig `mapstructure:"normalize"`
	// Hash is about keys whose values must not be readable.
	Hash HashConfig `mapstructure:"hash"`
	// CarryForward gives keys of a trace to records of it that come later.
	CarryForward CarryConfig `mapstructure:"carry_forward"`
	// MaxKeys is the largest number of keys of a record.
	MaxKeys int `mapstructure:"max_keys"`
	// MaxValueLength is the longest value of a key, in bytes. A longer one is left
	// out, since a cut one would join what does not belong together.
	MaxValueLength int `mapstructure:"max_value_length"`
	// MaxDistinctKeys is how many names of keys a project may have beside those
	// that the configuration names.
	MaxDistinctKeys int `mapstructure:"max_distinct_keys"`

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
	return &Config{
		Keys:            defaultKeys(),
		CarryForward:    CarryConfig{MaxBytes: defaultCarryBytes, TTL: defaultCarryTTL},
		MaxKeys:         defaultMaxKeys,
		MaxValueLength:  defaultMaxValueLength,
		MaxDistinctKeys: defaultMaxDistinctKeys,
	}
}
