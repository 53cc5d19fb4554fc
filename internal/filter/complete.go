package filter

import "errors"

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
