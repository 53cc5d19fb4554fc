package filter

import (
	"errors"
	"strings"
)

// Want is what can be typed at a place of a filter.
type Want uint8

// What can be typed.
const (
	// WantTerm: a field, a text to search for, NOT, EXISTS, or an open parenthesis.
	WantTerm Want = iota + 1
	// WantConnective: AND, OR, or another term.
	WantConnective
	// WantTest: an operator of a field, or what WantConnective is, because the field
	// could also be a text to search for.
	WantTest
	// WantField: a field.
	WantField
	// WantKey: a key of the map, in quotes.
	WantKey
	// WantOperator: an operator of the field.
	WantOperator
	// WantValue: a literal of the field.
	WantValue
	// WantShortValue: the same after the colon of the short form, where few values
	// need quotes.
	WantShortValue
)

// Place is what stands, and can stand, where somebody types.
type Place struct {
	Want Want
	// Field is the one that a key, an operator or a value is wanted of.
	Field Field
	// From and To are the bytes of the filter to be replaced by what is chosen: the
	// word or string in which the position is.
	From, To int
	// Typed is what stands between From and the position, without quotes and escapes.
	Typed string
	// Quote is the mark that Typed began with, 0 when it has none.
	Quote byte
}

// Complete says what can be typed at a position of a filter, in bytes. What comes
// after the position does not matter. The error is an *Error: the filter makes no
// sense before the position.
func Complete(text string, position int) (Place, error) {
	before := text[:position]
	if len(before) > MaxLength || invalidUTF8(before) >= 0 {
		_, err := Parse(before)
		return Place{}, err
	}
	p := &parser{lex: lexer{src: before, typing: true}}
	_, err := p.filter()
	place := Place{Want: p.want, Field: p.about, From: position, To: position}
	t := p.lex.typed
	if t.kind != tokEnd {
		place.From = t.pos
	}
	var wrong *Error
	if errors.As(err, &wrong) && wrong.Pos < place.From {
		return Place{}, err
	}
	if t.kind != tokEnd {
		place.Typed = t.text
		if t.kind == tokString {
			place.Quote = before[t.pos]
		} else {
			place.Typed = unescapeShort(t.text)
		}
	}
	if place.Quote == 0 {
		for place.To < len(text) && isWordByte(text[place.To]) {
			place.To++
		}
	}
	return place, nil
}

// IsBareName says whether a key can be written as a bare name: it is no column, no
// keyword, and not taken for a misspelt column.
func IsBareName(key string) bool {
	f := fieldNamed(key)
	return f.Bare() && notBare(key) == ""
}

// Literal writes a value to be put into a filter: in the mark that it was begun
// with, or, where that is 0, without one where it needs none. The short form needs
// none for text in which nothing has a meaning of its own, the other form only for
// the number of a column.
func Literal(value string, mark byte, short, number bool) string {
	switch {
	case mark != 0:
	case number:
		return value
	case !short:
		mark = '\''
	case value != "" && !statusClass.MatchString(value) && plainShort(value):
		return value
	default:
		mark = '"'
	}
	return quote(value, mark)
}

// plainShort says whether a value can stand after the colon as it is.
func plainShort(s string) bool {
	for i := range len(s) {
		if c := s[i]; isSpace(c) || c < ' ' || c == '(' || c == ')' || c == '*' || c == '\\' {
			return false
		}
	}
	if op, _ := operatorAt(s); op != 0 || s[0] == '\'' || s[0] == '"' || len(s) > 1 && s[:2] == "//" {
		return false
	}
	low, high, isRange := strings.Cut(s, "..")
	return !isRange || !IsNumber(low) || !IsNumber(high)
}
