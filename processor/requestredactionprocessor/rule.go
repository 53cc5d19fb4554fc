package requestredactionprocessor

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// Action is what a rule does with a value.
type Action string

// The actions.
const (
	// ActionMask replaces the value.
	ActionMask Action = "mask"
	// ActionPartial replaces all of the value but its last characters.
	ActionPartial Action = "partial"
	// ActionHash replaces the value by a keyed hash: equal values stay equal.
	ActionHash Action = "hash"
	// ActionDrop removes the attribute the value is, or is found in.
	ActionDrop Action = "drop"
)

// UnmarshalText reads an action by its name.
func (a *Action) UnmarshalText(text []byte) error {
	switch v := Action(text); v {
	case ActionMask, ActionPartial, ActionHash, ActionDrop:
		*a = v
		return nil
	}
	return fmt.Errorf("want %s, %s, %s or %s, got %q", ActionMask, ActionPartial, ActionHash, ActionDrop, text)
}

// Names of rules that no entry of rules made. Detectors are rules of their own
// names.
const (
	ruleKeys        = "keys"
	ruleUnscannable = "unscannable"
	ruleSQLLiterals = "sql_literals"
)

// rule says what to do with what it found.
type rule struct {
	name     string
	index    int // of its counter
	action   Action
	keepLast int
}

// replacement gives what stands in the place of value; nothing when the rule
// drops it and there is no attribute to drop.
func (p *pass) replacement(r *rule, value string) string {
	switch r.action {
	case ActionPartial:
		return conventions.Mask + tail(value, r.keepLast)
	case ActionHash:
		return p.hash.Hash(value)
	case ActionDrop:
		return ""
	}
	return conventions.Mask
}

// tail gives the last n characters of value, and none of a value so short that
// they would tell more than half of it.
func tail(value string, n int) string {
	if utf8.RuneCountInString(value) < 2*n {
		return ""
	}
	i := len(value)
	for ; n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(value[:i])
		i -= size
	}
	return value[i:]
}

// isDone says whether value is what a rule left, so that doing it again changes
// and counts nothing.
func (r *rule) isDone(value string) bool {
	if value == "" || value == conventions.Mask || keyedhash.Is(value) {
		return true
	}
	if r.action == ActionDrop && value == "null" { // what it leaves in JSON
		return true
	}
	rest, ok := strings.CutPrefix(value, conventions.Mask)
	return ok && r.action == ActionPartial && utf8.RuneCountInString(rest) == r.keepLast
}
