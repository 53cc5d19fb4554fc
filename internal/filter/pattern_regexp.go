package filter

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// expressionMatcher compiles a parsed expression that any part of a text may
// match.
func expressionMatcher(re *syntax.Regexp) (*Matcher, error) {
	re = plain(re)
	switch {
	case re.Op == syntax.OpEmptyMatch:
		return &Matcher{Form: Anything}, nil
	case re.Op == syntax.OpLiteral && !slices.Contains(re.Rune, utf8.RuneError):
		return &Matcher{Form: Contains, Text: string(re.Rune)}, nil
	}
	if uses(re, syntax.OpNoWordBoundary) {
		return nil, errors.New(`an RE2 expression without \B, on which implementations of RE2 disagree`)
	}
	if err := checkSize(re); err != nil {
		return nil, err
	}
	m := &Matcher{Form: Search, RE2: re.String(), Repair: seesInvalid(re)}
	var err error
	if m.re, err = regexp.Compile(m.RE2); err != nil {
		return nil, fmt.Errorf("an RE2 expression: %w", err)
	}
	return m, nil
}

// plain writes out what Go and RE2 may decide differently, or what a match does
// not need: letters without regard to case become classes, groups that capture
// their content.
func plain(re *syntax.Regexp) *syntax.Regexp {
	out := *re
	out.Flags &^= syntax.NonGreedy
	out.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		out.Sub[i] = plain(sub)
	}
	switch {
	case re.Op == syntax.OpCapture:
		return out.Sub[0]
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0:
		out = syntax.Regexp{Op: syntax.OpConcat}
		for _, r := range re.Rune {
			out.Sub = append(out.Sub, foldClass(r))
		}
		if len(out.Sub) == 1 {
			return out.Sub[0]
		}
	}
	return &out
}

// foldClass is the class of all characters that fold to the same as r.
func foldClass(r rune) *syntax.Regexp {
	runes := orbit(r)
	if len(runes) == 1 {
		return &syntax.Regexp{Op: syntax.OpLiteral, Rune: runes}
	}
	class := &syntax.Regexp{Op: syntax.OpCharClass}
	for _, r := range runes {
		class.Rune = append(class.Rune, r, r)
	}
	return class
}

// orbit gives the characters that Unicode's simple folding makes equal, in order.
func orbit(r rune) []rune {
	out := []rune{r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// foldedLiteral is the expression of a text without regard to case; the text
// itself where it has no letters.
func foldedLiteral(text string) string {
	var b strings.Builder
	folds := false
	for _, r := range text {
		folds = folds || len(orbit(r)) > 1
		b.WriteString(foldClass(r).String())
	}
	if !folds {
		return text
	}
	return b.String()
}

// checkSize refuses expressions that take too long to match.
func checkSize(re *syntax.Regexp) error {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return fmt.Errorf("an RE2 expression: %w", err)
	}
	ranges := 0
	for _, inst := range prog.Inst {
		ranges += len(inst.Rune) / 2
	}
	if len(prog.Inst) > maxInstructions || ranges > maxRanges {
		return fmt.Errorf("a smaller expression: with repetitions multiplied, this one has %d steps and %d ranges of characters, and the limits are %d and %d",
			len(prog.Inst), ranges, maxInstructions, maxRanges)
	}
	return nil
}

// uses says whether an operator is part of an expression.
func uses(re *syntax.Regexp, op syntax.Op) bool {
	return re.Op == op || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return uses(sub, op) })
}

// seesInvalid says whether an expression can match U+FFFD, for which Go takes
// every byte that is no UTF-8, and RE2 does not.
func seesInvalid(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, utf8.RuneError)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= utf8.RuneError && utf8.RuneError <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, seesInvalid)
}
