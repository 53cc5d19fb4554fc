package filter

import (
	"errors"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

var errLikeEscape = errors.New(`a pattern in which a backslash stands before %, _ or another backslash`)

// piece is a part of a LIKE pattern: a literal, or a wildcard.
type piece struct {
	text string
	wild byte // % or _, 0 for a literal
}

// likePieces reads a pattern in which % is any text, _ any character, and a
// backslash takes %, _ and itself as they are. Neighbouring % are one.
func likePieces(source string) ([]piece, error) {
	var out []piece
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, piece{text: b.String()})
			b.Reset()
		}
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; c {
		case '%', '_':
			flush()
			if c == '_' || len(out) == 0 || out[len(out)-1].wild != '%' {
				out = append(out, piece{wild: c})
			}
		case '\\':
			i++
			if i == len(source) || !strings.ContainsRune(`%_\`, rune(source[i])) {
				return nil, errLikeEscape
			}
			b.WriteByte(source[i])
		default:
			b.WriteByte(c)
		}
	}
	flush()
	return out, nil
}

// likeMatcher compiles a LIKE pattern, which has to match the whole text.
func likeMatcher(source string, fold bool) (*Matcher, error) {
	pieces, err := likePieces(source)
	if err != nil {
		return nil, err
	}
	if m := simpleLike(pieces, fold); m != nil {
		return m, nil
	}
	re := &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{{Op: syntax.OpBeginText}}}
	anyChar := &syntax.Regexp{Op: syntax.OpAnyChar}
	for _, p := range pieces {
		switch p.wild {
		case '%':
			re.Sub = append(re.Sub, &syntax.Regexp{Op: syntax.OpStar, Sub: []*syntax.Regexp{anyChar}})
		case '_':
			re.Sub = append(re.Sub, anyChar)
		default:
			for _, r := range p.text {
				if fold {
					re.Sub = append(re.Sub, foldClass(r))
				} else {
					re.Sub = append(re.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{r}})
				}
			}
		}
	}
	re.Sub = append(re.Sub, &syntax.Regexp{Op: syntax.OpEndText})
	return expressionMatcher(re)
}

// simpleLike is the matcher of patterns that need no expression, nil for others.
func simpleLike(pieces []piece, fold bool) *Matcher {
	form, at := likeForm(pieces)
	switch {
	case form == 0 || form == Anything:
		if form == 0 {
			return nil
		}
		return &Matcher{Form: Anything}
	case len(pieces) == 0:
		return &Matcher{Form: Equals}
	}
	text := pieces[at].text
	switch {
	case !fold || foldedLiteral(text) == text:
		return &Matcher{Form: form, Text: text}
	case form == Contains && !strings.ContainsRune(text, utf8.RuneError):
		return containing(text)
	}
	return nil
}

// likeForm tells the shapes 'a', 'a%', '%a', '%a%' and '%' from others, for which
// the form is 0, and says which piece the text is.
func likeForm(pieces []piece) (form Form, at int) {
	shape := ""
	for _, p := range pieces {
		if p.wild == 0 {
			shape += "a"
		} else {
			shape += string(p.wild)
		}
	}
	switch shape {
	case "":
		return Equals, 0
	case "a":
		return Equals, 0
	case "a%":
		return HasPrefix, 0
	case "%a":
		return HasSuffix, 1
	case "%a%":
		return Contains, 1
	case "%":
		return Anything, 0
	}
	return 0, 0
}
