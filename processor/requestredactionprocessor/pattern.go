package requestredactionprocessor

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a rule's own expression.
type pattern struct {
	expression *regexp.Regexp
	literal    string // in every match; empty when there is none
	rule       *rule
}

// find appends the matches in s: of an expression with a group, what the first
// group matched.
func (p *pattern) find(s string, found []span) []span {
	if p.literal != "" && !strings.Contains(s, p.literal) {
		return found
	}
	for _, m := range p.expression.FindAllStringSubmatchIndex(s, -1) {
		start, end := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			start, end = m[2], m[3]
		}
		if end > start {
			found = append(found, span{start: start, end: end, rule: p.rule})
		}
	}
	return found
}

// literalOf gives the longest text that every match of an expression contains as
// it is, or nothing.
func literalOf(expression string) string {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return ""
	}
	return longestLiteral(re)
}

func longestLiteral(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return longestLiteral(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return longestLiteral(re.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if l := longestLiteral(sub); len(l) > len(longest) {
				longest = l
			}
		}
		return longest
	}
	return ""
}

// exceptions are values that are never redacted.
type exceptions struct {
	values   map[string]struct{}
	patterns []*regexp.Regexp
}

// excepted says whether what was found may stay.
func (r *redaction) excepted(value string) bool {
	if _, ok := r.exceptions.values[value]; ok {
		return true
	}
	for _, p := range r.exceptions.patterns {
		if p.MatchString(value) {
			return true
		}
	}
	return false
}
