package requestredactionprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// defaultKeys are names under which secrets travel in practice. One entry covers
// its spellings with - and _ and any case.
var defaultKeys = []string{
	"authorization", "proxy_authorization", "cookie", "set_cookie",
	"password", "passwd", "pwd", "passphrase", "secret", "*_secret", "client_secret",
	"token", "*_token", "access_token", "refresh_token", "id_token", "auth_token", "csrf_token", "xsrf_token",
	"api_key", "apikey", "x_api_key", "*_api_key", "access_key", "secret_key", "private_key", "signature", "x_amz_signature",
	"credentials", "session_token", "card_number", "cvv", "cvc", "ssn",
	"*password", "password_confirmation", "password_hash", "*_access_key", "jwt", "bearer",
	"cvv2", "card_cvc", "card_cvv", "security_code", "social_security_number", "connection_string",
	// The same words as JavaScript and Java write them.
	"accesstoken", "refreshtoken", "idtoken", "authtoken", "clientsecret", "accesskey", "secretkey", "privatekey", "cardnumber",
	"secretaccesskey", "sessiontoken", "csrftoken", "connectionstring", "securitycode",
}

// defaultTextAttributes are string attributes whose content may be a form or the
// query of a URL. JSON and URLs are recognised anywhere.
var defaultTextAttributes = []string{
	conventions.RequestBody, conventions.ResponseBody,
	"url.full", "url.query", "http.url", "http.target", "url.fragment",
}

var defaultSQLAttributes = []string{"db.query.text", "db.statement"}

const (
	// defaultMaxValueBytes is far above what SDKs and our receiver let through.
	defaultMaxValueBytes = 4 << 20
	// defaultMaxDepth is far above what instrumentation nests.
	defaultMaxDepth = 32
	defaultKeepLast = 4
)

// Fail says what happens to a value that cannot be scanned.
type Fail string

// The ways to fail.
const (
	// FailClosed drops the value.
	FailClosed Fail = "closed"
	// FailOpen leaves it as it is.
	FailOpen Fail = "open"
)

// Config of the request_redaction processor.
type Config struct {
	// Keys are names whose values are masked, exact or with * and ?. A key of the
	// data matches as a whole or by its last part after a dot; case does not
	// count and - equals _. Setting it replaces the default list.
	Keys []string `mapstructure:"keys"`
	// AdditionalKeys are masked beside Keys.
	AdditionalKeys []string `mapstructure:"additional_keys"`
	// ExceptKeys are whole keys that are never masked.
	ExceptKeys []string `mapstructure:"except_keys"`
	// ExceptValues are values that are never redacted, as a whole, where a key or
	// a detector found them.
	ExceptValues []string `mapstructure:"except_values"`
	// ExceptPatterns are expressions (RE2); what one matches from begin to end is
	// never redacted.
	ExceptPatterns []string `mapstructure:"except_patterns"`
	// TextAttributes are attributes whose string value is looked into as JSON, a
	// form or a URL.
	TextAttributes []string `mapstructure:"text_attributes"`
	// SQLAttributes are attributes whose string value is SQL: of its literals
	// those are redacted that a named column is compared with or set to, and
	// those in which a detector finds something.
	SQLAttributes []string `mapstructure:"sql_attributes"`
	// MaskSQLLiterals masks all literals of SQL.
	MaskSQLLiterals bool `mapstructure:"mask_sql_literals"`
	// Detectors find values by what they look like, under any key and inside any
	// text. Setting it replaces the default list.
	Detectors []Detector `mapstructure:"detectors"`
	// Rules come before Keys and Detectors; one for a detector replaces that of
	// Detectors.
	Rules []RuleConfig `mapstructure:"rules"`
	// Action of Keys, Detectors, and Rules without one.
	Action Action `mapstructure:"action"`
	// KeepLast is how many characters the action partial leaves.
	KeepLast int `mapstructure:"keep_last"`
	// HashSecret keys the action hash. Whoever holds it can find a value by its
	// hash.
	HashSecret configopaque.String `mapstructure:"hash_secret"`
	// Fail says what happens to a value that is larger than MaxValueBytes or
	// deeper than MaxDepth.
	Fail Fail `mapstructure:"fail"`
	// MaxValueBytes is the size of the largest text that is scanned.
	MaxValueBytes int `mapstructure:"max_value_bytes"`
	// MaxDepth is how deep maps and slices may be nested.
	MaxDepth int `mapstructure:"max_depth"`
	// Shadow counts what would be redacted, and changes nothing.
	Shadow bool `mapstructure:"shadow"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// RuleConfig is one rule: Keys, a Detector or a Pattern, and what to do.
type RuleConfig struct {
	// Name of the rule in the metric; by default that of the detector.
	Name string `mapstructure:"name"`
	// Keys as those of Config.
	Keys []string `mapstructure:"keys"`
	// Detector is a built-in detector.
	Detector Detector `mapstructure:"detector"`
	// Pattern is an expression (RE2). With a group, what the first group matches
	// is redacted.
	Pattern string `mapstructure:"pattern"`
	// Action and KeepLast are those of Config when absent.
	Action   Action `mapstructure:"action"`
	KeepLast int    `mapstructure:"keep_last"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func (c *RuleConfig) name() string {
	if c.Name == "" {
		return string(c.Detector)
	}
	return c.Name
}

func createDefaultConfig() component.Config {
	return &Config{
		Keys:           slices.Clone(defaultKeys),
		TextAttributes: slices.Clone(defaultTextAttributes),
		SQLAttributes:  slices.Clone(defaultSQLAttributes),
		Detectors:      slices.Clone(defaultDetectors),
		Action:         ActionMask,
		KeepLast:       defaultKeepLast,
		Fail:           FailClosed,
		MaxValueBytes:  defaultMaxValueBytes,
		MaxDepth:       defaultMaxDepth,
	}
}
