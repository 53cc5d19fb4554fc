package filter

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// TextColumns are what free text is looked for in, each in the kinds of records
// that have it. They hold names of a bounded number, or are empty in most records.
var TextColumns = []string{"route", "name", "error_type", "error_message", "message"}

const (
	// MaxPattern is the longest pattern or free text, in bytes.
	MaxPattern = 1024
	// maxInstructions and maxRanges bound what an expression is compiled to: steps,
	// each of which may be tried at every character of a text, and ranges of
	// characters, of which classes such as \pL have hundreds.
	maxInstructions = 1500
	maxRanges       = 5000
)

var errTooLong = fmt.Errorf("at most %d bytes", MaxPattern)

// Form is how a Matcher finds what it looks for.
type Form uint8

// The forms of matchers. Those before ContainsFold look at bytes.
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
	// ContainsFold is Contains without regard to case.
	ContainsFold
	// Search matches where the expression matches a part of the text.
	Search
)

// Matcher is a pattern made ready: the simplest way to find what it matches.
type Matcher struct {
	Form Form
	// Text is what is compared with, for every form but Search.
	Text string
	// RE2 is the expression of ContainsFold and Search. It means the same to Go and
	// to RE2 without flags: letters that are equal when folded are listed.
	RE2 string
	// Repair says that RE2 is to be matched in ValidUTF8 of a text, because it could
	// match a character that is not valid.
	Repair bool

	re   *regexp.Regexp
	fold foldFinder
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
	case ContainsFold:
		if m.Repair {
			s = ValidUTF8(s)
		}
		return m.fold.in(s)
	case Search:
		if m.Repair {
			s = ValidUTF8(s)
		}
		return m.re.MatchString(s)
	}
	return false
}

// ValidUTF8 is the text with every run of bytes that are no UTF-8 replaced by one
// U+FFFD.
func ValidUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// newMatcher compiles a pattern. The error says what was expected.
func newMatcher(kind PatternKind, source string) (*Matcher, error) {
	if len(source) > MaxPattern {
		return nil, errTooLong
	}
	if kind != Regexp {
		return likeMatcher(source, kind == ILike)
	}
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			return nil, fmt.Errorf("an RE2 expression; this one has %s %q", bad.Code, clip(bad.Expr))
		}
		return nil, fmt.Errorf("an RE2 expression: %w", err)
	}
	return expressionMatcher(re)
}

// containing is the matcher of a part of a text, without regard to case.
func containing(text string) *Matcher {
	folded := foldedLiteral(text)
	if folded == text {
		return &Matcher{Form: Contains, Text: text}
	}
	return &Matcher{
		Form: ContainsFold, Text: text, RE2: folded,
		Repair: strings.ContainsRune(text, utf8.RuneError), fold: newFoldFinder(text),
	}
}
