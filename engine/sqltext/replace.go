package sqltext

import "strings"

// ReplaceName replaces every unqualified identifier name by an expression.
func (s Statement) ReplaceName(name, expression string) Statement {
	l := &lexer{text: s.Text}
	var previous token
	return s.edit(l, func(t token) (token, bool) {
		qualified := l.isSymbol(previous, '.')
		previous = t
		return t, !qualified && l.is(t, name)
	}, expression)
}

// ReplaceTable replaces a table, named with its database behind FROM or JOIN, by
// another expression such as a subquery.
func (s Statement) ReplaceTable(database, table, expression string) Statement {
	l := &lexer{text: s.Text}
	var previous token
	return s.edit(l, func(t token) (token, bool) {
		after := l.is(previous, "FROM") || l.is(previous, "JOIN")
		previous = t
		if !after || !l.is(t, database) {
			return t, false
		}
		ahead := &lexer{text: l.text, pos: l.pos}
		if dot := ahead.next(); !l.isSymbol(dot, '.') {
			return t, false
		}
		name := ahead.next()
		if !l.is(name, table) {
			return t, false
		}
		l.pos = ahead.pos
		previous = name
		return token{kind: word, start: t.start, end: name.end}, true
	}, expression)
}

// edit replaces the ranges that match selects. Those lie before the FORMAT
// clause or are left alone.
func (s Statement) edit(l *lexer, match func(token) (token, bool), replacement string) Statement {
	var out strings.Builder
	from := 0
	for t := l.next(); t.kind != end; t = l.next() {
		if found, ok := match(t); ok {
			out.WriteString(s.Text[from:found.start])
			out.WriteString(replacement)
			from = found.end
		}
	}
	if from == 0 {
		return s
	}
	tail := len(s.Text) - from
	out.WriteString(s.Text[from:])
	if shift := out.Len() - tail - from; s.formatStart < s.formatEnd && s.formatStart >= from {
		s.formatStart += shift
		s.formatEnd += shift
	}
	s.Text = out.String()
	return s
}

// ReplaceInput replaces the first input('structure') by the name of a table, and
// returns the structure.
func (s Statement) ReplaceInput(table string) (structure string, replaced Statement, found bool) {
	l := &lexer{text: s.Text}
	for t := l.next(); t.kind != end; t = l.next() {
		if !l.is(t, "input") {
			continue
		}
		ahead := &lexer{text: l.text, pos: l.pos}
		opening, argument, closing := ahead.next(), ahead.next(), ahead.next()
		if ahead.isSymbol(opening, '(') && argument.kind == literal && ahead.isSymbol(closing, ')') {
			structure = l.value(argument)
			s.Text = s.Text[:t.start] + table + s.Text[closing.end:]
			return structure, s, true
		}
	}
	return "", s, false
}

// HasPair reports whether two keywords stand side by side.
func (s Statement) HasPair(first, second string) bool {
	l := &lexer{text: s.Text}
	var previous token
	for t := l.next(); t.kind != end; t = l.next() {
		if l.is(previous, first) && l.is(t, second) {
			return true
		}
		previous = t
	}
	return false
}
