package filter

import (
	"regexp"
	"strings"
)

// TextColumns are what free text is looked for in, each in the kinds of records
// that have it. They hold names of a bounded number, or are empty in most records.
var TextColumns = []string{"route", "name", "error_type", "error_message", "message"}

// Form is how a Matcher finds what it looks for.
type Form uint8

// The forms of matchers, all of which look at bytes, but Search.
const (
	// Anything matches every text.
	Anything Form = iota + 1
	// Equals matches one text.
	Equals
	// HasPrefix matches what starts with the text, HasSuffix what ends with it.
	HasPrefix
	HasSuffix
	// Contains matches what holds the text.
	Contains
	// Search matches where the expression matches a part of the text, in which
	// bytes that are no UTF-8 are replaced; see ValidUTF8.
	Search
)

// Matcher is a pattern made ready: the simplest way to find what it matches.
type Matcher struct {
	Form Form
	// Text is what is compared with, for every form but Search.
	Text string
	// RE2 is the expression of the form Search. It means the same to Go and to
	// RE2, without flags: letters that are equal when folded are listed.
	RE2 string

	re *regexp.Regexp
}

// Match says whether the pattern matches a text.
func (m *Matcher) Match(s string) bool {
	switch m.Form {
	case Anything:
		return true
	case Equals:
		return s == m.Text
	case HasPrefix:
		return strings.HasPrefix(s, m.Text)
	case HasSuffix:
		return strings.HasSuffix(s, m.Text)
	case Contains:
		return strings.Contains(s, m.Text)
	case Search:
		return m.re.MatchString(ValidUTF8(s))
	}
	return false
}

// ValidUTF8 is the text with every run of bytes that are no UTF-8 replaced by one
// U+FFFD.
func ValidUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
