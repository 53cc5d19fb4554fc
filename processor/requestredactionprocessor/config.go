package requestredactionprocessor

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"go.opentelemetry.io/collector/component"

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
	// The same words as JavaScript and Java write them.
	"accesstoken", "refreshtoken", "idtoken", "authtoken", "clientsecret", "accesskey", "secretkey", "privatekey", "cardnumber",
}

// defaultTextAttributes are string attributes whose content is looked into.
var defaultTextAttributes = []string{
	conventions.RequestBody, conventions.ResponseBody,
	"url.full", "url.query", "http.url", "http.target",
}

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
	// TextAttributes are attributes whose string value is looked into as JSON, a
	// form or a URL.
	TextAttributes []string `mapstructure:"text_attributes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	return &Config{
		Keys:           append([]string(nil), defaultKeys...),
		TextAttributes: append([]string(nil), defaultTextAttributes...),
	}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	var errs []error
	check := func(setting string, patterns []string) {
		for i, p := range patterns {
			if strings.TrimSpace(p) == "" {
				errs = append(errs, fmt.Errorf("%s::%d: want a key or a pattern, got nothing", setting, i))
			} else if _, err := path.Match(p, ""); err != nil {
				errs = append(errs, fmt.Errorf("%s::%d: pattern %q: %w", setting, i, p, err))
			} else if strings.Trim(p, "*?.") == "" {
				errs = append(errs, fmt.Errorf("%s::%d: pattern %q masks everything: name at least a part of a key", setting, i, p))
			}
		}
	}
	check("keys", c.Keys)
	check("additional_keys", c.AdditionalKeys)
	for i, k := range c.ExceptKeys {
		if strings.ContainsAny(k, "*?[") {
			errs = append(errs, fmt.Errorf("except_keys::%d: want a whole key, got pattern %q", i, k))
		}
	}
	if len(c.Keys)+len(c.AdditionalKeys) == 0 {
		errs = append(errs, errors.New("keys: want at least one key; leave the processor out of the pipeline to mask nothing"))
	}
	return errors.Join(errs...)
}
