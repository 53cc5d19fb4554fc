package sqltext

import (
	"errors"
	"strings"
)

// Errors of Parse.
var (
	ErrMultipleStatements  = errors.New("more than one statement in one text")
	ErrSemicolonBeforeData = errors.New("a semicolon between the FORMAT clause of an INSERT and its data")
)

// Statement is one statement cut into the parts an interface handles apart.
type Statement struct {
	// Text is the statement without the semicolon and comments behind it, and
	// for an INSERT without its FORMAT or VALUES clause and its data.
	Text string
	// Verb is the first keyword in upper case: SELECT, INSERT, KILL …
	Verb string
	// Format is what the FORMAT clause (or VALUES) names; "" without one.
	Format string
	// HasData says that rows follow the statement: an INSERT with FORMAT or VALUES.
	HasData bool
	// DataStart is where the rows begin in the text given to Parse.
	DataStart int
	// InsertSelect says that an INSERT takes its rows from a SELECT, which may
	// read what follows by the input() table function.
	InsertSelect bool
	// Complete says that no further text could change the statement: the rows of
	// an INSERT begin inside the text. False for everything else.
	Complete bool

	formatStart, formatEnd int // of the FORMAT clause in Text; equal when absent
}

// Parse cuts text. Text after the rows of an INSERT have begun is not looked at.
func Parse(text string) (Statement, error) {
	l := &lexer{text: text}
	first := l.next()
	for l.isSymbol(first, '(') {
		first = l.next()
	}
	if first.kind != word {
		return plain(text, "")
	}
	verb := strings.ToUpper(text[first.start:first.end])
	if verb == "INSERT" {
		return parseInsert(l, first.start)
	}
	return plain(text, verb)
}

// plain cuts a statement without data.
func plain(text, verb string) (Statement, error) {
	l := &lexer{text: text}
	s := Statement{Verb: verb}
	depth, last, begin := 0, 0, -1
	var previous token
	for t := l.next(); t.kind != end; t = l.next() {
		if l.isSymbol(t, ';') && depth <= 0 {
			if !l.ends() {
				return Statement{}, ErrMultipleStatements
			}
			break
		}
		if begin < 0 {
			begin = t.start
		}
		if depth == 0 && l.is(previous, "FORMAT") && (t.kind == word || t.kind == quotedName) && previous.start > begin && l.endsFormat() {
			s.Format = strings.Trim(text[t.start:t.end], "`\"")
			s.formatStart, s.formatEnd = previous.start, t.end
		}
		depth += l.depth(t)
		previous, last = t, t.end
	}
	if begin < 0 {
		return s, nil
	}
	s.Text = text[begin:last]
	if s.Format != "" {
		s.formatStart -= begin
		s.formatEnd -= begin
	}
	return s, nil
}

// ends reports whether nothing but semicolons follows.
func (l *lexer) ends() bool {
	t := l.next()
	for l.isSymbol(t, ';') {
		t = l.next()
	}
	return t.kind == end
}

// endsFormat reports whether the next token may follow a FORMAT clause. It tells
// the clause from a column or alias that is called format.
func (l *lexer) endsFormat() bool {
	t := (&lexer{text: l.text, pos: l.pos}).next()
	return t.kind == end || l.isSymbol(t, ';') || l.is(t, "SETTINGS")
}

// parseInsert cuts an INSERT:
//
//	INSERT INTO [TABLE] [FUNCTION] name[(…)] [(columns)] [PARTITION BY …]
//	  [SETTINGS …] FORMAT name data | VALUES data | SELECT … | FROM INFILE …
func parseInsert(l *lexer, begin int) (Statement, error) {
	s := Statement{Verb: "INSERT"}
	depth, last, selecting := 0, begin, false
	var previous token
	for t := l.next(); ; t = l.next() {
		top := depth == 0 && !l.isSymbol(previous, '.') && !l.isSymbol(previous, '=')
		named := !l.is(previous, "INTO") && !l.is(previous, "TABLE") && !l.is(previous, "FUNCTION") && previous.kind != end
		switch {
		case t.kind == end || l.isSymbol(t, ';') && depth <= 0:
			if t.kind != end && !l.ends() {
				return Statement{}, ErrMultipleStatements
			}
			s.Text = l.text[begin:last]
			return s, nil
		case top && named && !selecting && l.is(t, "VALUES"): // FROM values(…) is a table function
			s.Text, s.Format = l.text[begin:last], "Values"
			s.HasData, s.Complete, s.DataStart = true, true, t.end
			return s, nil
		case top && named && l.is(t, "FORMAT"):
			return insertFormat(l, s, begin, last)
		case top && named && (l.is(t, "SELECT") || l.is(t, "WITH") || l.is(t, "WATCH")):
			s.InsertSelect, selecting = true, true
		case // INSERT INTO t (SELECT …) and INSERT INTO t (a) (SELECT …)
			depth == 1 && l.isSymbol(previous, '(') && (l.is(t, "SELECT") || l.is(t, "WITH")):
			s.InsertSelect = true
		}
		depth += l.depth(t)
		previous, last = t, t.end
	}
}

// insertFormat cuts after FORMAT: one line break after the format's name belongs
// to the statement, everything behind it to the data.
func insertFormat(l *lexer, s Statement, begin, last int) (Statement, error) {
	name := l.next()
	if name.kind != word && name.kind != quotedName {
		s.Text = l.text[begin:]
		return s, nil
	}
	s.Text = l.text[begin:last]
	s.Format = strings.Trim(l.text[name.start:name.end], "`\"")
	s.HasData = true
	at := name.end
	for at < len(l.text) && (l.text[at] == ' ' || l.text[at] == '\t' || l.text[at] == '\f') {
		at++
	}
	if at < len(l.text) && l.text[at] == ';' {
		if rest := (&lexer{text: l.text, pos: at + 1}).next(); rest.kind != end {
			return Statement{}, ErrSemicolonBeforeData
		}
		s.DataStart = len(l.text)
		return s, nil
	}
	if at < len(l.text) && l.text[at] == '\r' {
		at++
	}
	if at < len(l.text) && l.text[at] == '\n' {
		at++
		s.Complete = true
	}
	s.DataStart = at
	s.Complete = s.Complete || at < len(l.text)
	return s, nil
}

// WithClause puts a clause such as INTO OUTFILE where the grammar wants it:
// before the FORMAT clause, which is appended when the statement has none and
// format is not empty.
func (s Statement) WithClause(clause, format string) string {
	if s.formatStart < s.formatEnd {
		return s.Text[:s.formatStart] + clause + " " + s.Text[s.formatStart:]
	}
	if format == "" {
		return s.Text + " " + clause
	}
	return s.Text + " " + clause + " FORMAT " + format
}
