package requestredactionprocessor

import (
	"fmt"
	"regexp"
)

// compile makes the rules of a configuration. A rule's index is its precedence:
// the configuration's own come first.
func (r *redaction) compile(cfg *Config) ([]*rule, error) {
	var rules []*rule
	add := func(name string, action Action, keepLast int) *rule {
		made := &rule{name: name, index: len(rules), action: action, keepLast: keepLast}
		rules = append(rules, made)
		return made
	}
	r.keys = newMatcher(cfg)
	own := map[Detector]bool{}
	for i := range cfg.Rules {
		c := &cfg.Rules[i]
		action, keepLast := c.Action, c.KeepLast
		if action == "" {
			action = cfg.Action
		}
		if keepLast == 0 {
			keepLast = cfg.KeepLast
		}
		made := add(c.name(), action, keepLast)
		switch {
		case c.Detector != "":
			own[c.Detector] = true
			r.addDetector(c.Detector, made)
		case c.Pattern != "":
			expression, err := regexp.Compile(c.Pattern)
			if err != nil {
				return nil, fmt.Errorf("rules::%d::pattern: %w", i, err)
			}
			r.patterns = append(r.patterns, pattern{expression: expression, literal: literalOf(c.Pattern), rule: made})
		default:
			r.keys.add(c.Keys, made)
		}
	}
	named := add(ruleKeys, cfg.Action, cfg.KeepLast)
	r.keys.add(cfg.Keys, named)
	r.keys.add(cfg.AdditionalKeys, named)
	for _, d := range cfg.Detectors {
		if !own[d] {
			r.addDetector(d, add(string(d), cfg.Action, cfg.KeepLast))
		}
	}
	if r.userinfo == nil && len(cfg.Keys)+len(cfg.AdditionalKeys) > 0 {
		r.userinfo = named
	}
	if cfg.MaskSQLLiterals {
		r.sqlLiterals = add(ruleSQLLiterals, ActionMask, 0)
	}
	r.unscannable = add(ruleUnscannable, ActionDrop, 0)
	return rules, r.compileExceptions(cfg)
}

func (r *redaction) addDetector(d Detector, made *rule) {
	known := detectors[d]
	r.detectors = append(r.detectors, activeDetector{needs: known.needs, find: known.find, rule: made})
	if d == DetectorURLPassword {
		r.userinfo = made
	}
}

func (r *redaction) compileExceptions(cfg *Config) error {
	r.exceptions.values = make(map[string]struct{}, len(cfg.ExceptValues))
	for _, v := range cfg.ExceptValues {
		r.exceptions.values[v] = struct{}{}
	}
	for i, p := range cfg.ExceptPatterns {
		expression, err := regexp.Compile(`^(?:` + p + `)$`)
		if err != nil {
			return fmt.Errorf("except_patterns::%d: %w", i, err)
		}
		r.exceptions.patterns = append(r.exceptions.patterns, expression)
	}
	return nil
}
