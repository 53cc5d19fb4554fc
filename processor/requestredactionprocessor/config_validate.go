package requestredactionprocessor

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// maxKeepLast keeps a partial mask from being none.
const maxKeepLast = 16

var ruleName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	errs := append(validateKeys("keys", c.Keys), validateKeys("additional_keys", c.AdditionalKeys)...)
	for i, k := range c.ExceptKeys {
		if strings.ContainsAny(k, "*?[") {
			errs = append(errs, fmt.Errorf("except_keys::%d: want a whole key, got pattern %q", i, k))
		}
	}
	for i, p := range c.ExceptPatterns {
		if err := validatePattern(p, "excepts"); err != nil {
			errs = append(errs, fmt.Errorf("except_patterns::%d: %w", i, err))
		}
	}
	for i, d := range c.Detectors {
		if err := validateDetector(d); err != nil {
			errs = append(errs, fmt.Errorf("detectors::%d: %w", i, err))
		} else if slices.Contains(c.Detectors[:i], d) {
			errs = append(errs, fmt.Errorf("detectors::%d: %s is there twice", i, d))
		}
	}
	errs = append(errs, c.validateRules()...)
	if c.KeepLast < 1 || c.KeepLast > maxKeepLast {
		errs = append(errs, fmt.Errorf("keep_last: want 1 to %d characters, got %d", maxKeepLast, c.KeepLast))
	}
	if c.hashes() && len(c.HashSecret) < keyedhash.MinSecret {
		errs = append(errs, fmt.Errorf("hash_secret: want at least %d bytes for the action hash, got %d", keyedhash.MinSecret, len(c.HashSecret)))
	}
	if c.Fail != FailClosed && c.Fail != FailOpen {
		errs = append(errs, fmt.Errorf("fail: want %s or %s, got %q", FailClosed, FailOpen, c.Fail))
	}
	if c.MaxValueBytes < 1 {
		errs = append(errs, fmt.Errorf("max_value_bytes: want at least 1, got %d", c.MaxValueBytes))
	}
	if c.MaxDepth < 1 {
		errs = append(errs, fmt.Errorf("max_depth: want at least 1, got %d", c.MaxDepth))
	}
	if len(c.Keys)+len(c.AdditionalKeys)+len(c.Detectors)+len(c.Rules) == 0 {
		errs = append(errs, errors.New("keys: want at least one key, detector or rule; leave the processor out of the pipeline to redact nothing"))
	}
	return errors.Join(errs...)
}

func (c *Config) hashes() bool {
	return c.Action == ActionHash || slices.ContainsFunc(c.Rules, func(r RuleConfig) bool { return r.Action == ActionHash })
}

func (c *Config) validateRules() []error {
	var errs []error
	names := map[string]bool{ruleKeys: true, ruleUnscannable: true, ruleSQLLiterals: true}
	for i := range c.Rules {
		r := &c.Rules[i]
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("rules::%d%w", i, fmt.Errorf(format, args...)))
		}
		kinds := 0
		for _, set := range [...]bool{len(r.Keys) > 0, r.Detector != "", r.Pattern != ""} {
			if set {
				kinds++
			}
		}
		if kinds != 1 {
			bad(": want one of keys, detector and pattern, got %d of them", kinds)
		}
		for _, err := range validateKeys("keys", r.Keys) {
			bad("::%w", err)
		}
		if err := validateDetector(r.Detector); r.Detector != "" && err != nil {
			bad("::detector: %w", err)
		}
		if err := validatePattern(r.Pattern, "redacts"); r.Pattern != "" && err != nil {
			bad("::pattern: %w", err)
		}
		if r.KeepLast < 0 || r.KeepLast > maxKeepLast {
			bad("::keep_last: want 1 to %d characters, got %d", maxKeepLast, r.KeepLast)
		}
		name := r.name()
		if _, taken := detectors[Detector(name)]; !ruleName.MatchString(name) || taken && Detector(name) != r.Detector {
			bad("::name: want a name of a-z, 0-9 and _ that is no detector's, got %q", name)
		} else if names[name] {
			bad("::name: %q is there twice", name)
		}
		names[name] = true
	}
	return errs
}

func validateKeys(setting string, patterns []string) []error {
	var errs []error
	for i, p := range patterns {
		if strings.TrimSpace(p) == "" {
			errs = append(errs, fmt.Errorf("%s::%d: want a key or a pattern, got nothing", setting, i))
		} else if _, err := path.Match(p, ""); err != nil {
			errs = append(errs, fmt.Errorf("%s::%d: pattern %q: %w", setting, i, p, err))
		} else if strings.Trim(p, "*?.") == "" {
			errs = append(errs, fmt.Errorf("%s::%d: pattern %q masks everything: name at least a part of a key", setting, i, p))
		}
	}
	return errs
}

func validateDetector(d Detector) error {
	if _, ok := detectors[d]; !ok {
		return fmt.Errorf("want one of %v, got %q", slices.Sorted(maps.Keys(detectors)), d)
	}
	return nil
}

// validatePattern refuses what does not compile, and what matches nothing: an
// empty match has no place.
func validatePattern(p, does string) error {
	expression, err := regexp.Compile(p)
	if err != nil {
		return err
	}
	if expression.MatchString("") {
		return fmt.Errorf("pattern %q matches an empty text: it %s nothing or everything", p, does)
	}
	return nil
}
