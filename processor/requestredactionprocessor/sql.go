package requestredactionprocessor

import "strings"

// maxInsertColumns bounds the columns of an INSERT whose places are kept.
const maxInsertColumns = 256

// sqlWalk redacts literals of a text of SQL: those a named column is compared
// with or set to, those an INSERT puts into one, and what is found in the others
// and in comments. Names and keywords stay as they are. A statement need not be
// SQL: it may be a command of a key-value store, of which nothing is a literal
// here. Detectors therefore go over the whole text afterwards.
type sqlWalk struct {
	p     *pass
	e     edit
	depth int
	clue  clue

	// column is the rule of the name that the next literals belong to.
	column *rule

	// Of an INSERT: the rules of its columns by place, once the list was read,
	// and the place in the row that is being read.
	columns []*rule
	insert  insertState
	parens  int
	place   int
}

type insertState uint8

const (
	notInsert    insertState = iota
	insertTable              // behind INTO, before the list
	insertList               // in the list of columns
	insertValues             // behind the list
)

func (p *pass) sql(s string, c clue, depth int) (string, bool) {
	w := sqlWalk{p: p, e: edit{text: s}, depth: depth, clue: c}
	backslash := c&clueEscape != 0 && escapesSQL(s)
	for i := 0; ; {
		t := nextSQL(s, i, backslash)
		if t.kind == sqlEnd {
			return w.e.done()
		}
		w.token(t)
		i = t.next
	}
}

func (w *sqlWalk) token(t sqlToken) {
	text := w.e.text[t.start:t.end]
	switch t.kind {
	case sqlName:
		// MySQL takes double quotes for a literal, and it is one where one belongs.
		if w.e.text[t.next-1] == '"' && w.insert != insertList && (w.column != nil || w.rowRule() != nil) {
			w.literal(t, text)
			return
		}
		w.name(t, text)
	case sqlText, sqlNumber:
		w.literal(t, text)
	case sqlComment:
		w.scan(t, text)
	case sqlMark:
		w.mark(text[0])
	}
}

func (w *sqlWalk) name(t sqlToken, text string) {
	switch {
	case w.insert == insertList:
		if len(w.columns) < maxInsertColumns {
			w.columns = append(w.columns, w.ruleOf(text))
		}
		return
	case strings.EqualFold(text, "into"):
		w.insert, w.columns, w.parens, w.column = insertTable, nil, 0, nil
		return
	case w.insert == insertValues && w.parens > 0:
		return
	}
	if isSQLOperator(text) {
		return
	}
	// IDENTIFIED BY 'x' names a password as the column password would.
	if strings.EqualFold(text, "identified") {
		text = "password"
	}
	if rule := w.ruleOf(text); rule != nil || !strings.EqualFold(text, "by") {
		w.column = rule
	}
	if w.e.text[t.next-1] == '"' && w.column == nil {
		w.scan(t, text)
	}
}

// isSQLOperator says whether a word may stand between a column and its literal.
func isSQLOperator(word string) bool {
	switch strings.ToLower(word) {
	case "in", "like", "ilike", "not", "is", "between", "and", "with", "encrypted", "n", "e", "x", "b", "any", "values":
		return true
	}
	return false
}

func (w *sqlWalk) ruleOf(name string) *rule { return w.p.of(name).rule }

// mark follows the brackets and commas of an INSERT, and ends what belongs to a
// column.
func (w *sqlWalk) mark(c byte) {
	switch c {
	case '(':
		w.parens++
		if w.insert == insertTable && w.parens == 1 {
			w.insert = insertList
		}
		if w.parens == 1 {
			w.place = 0
		}
	case ')':
		if w.parens--; w.parens == 0 && w.insert == insertList {
			w.insert = insertValues
		}
		w.column = nil
	case ',':
		if w.parens == 1 {
			w.place++
		}
		if w.parens == 0 {
			w.column = nil
		}
	case ';':
		w.insert, w.columns, w.parens, w.column = notInsert, nil, 0, nil
	}
}

// rowRule gives the rule of the column whose value is being read in a row.
func (w *sqlWalk) rowRule() *rule {
	if w.insert == insertValues && w.parens > 0 && w.place < len(w.columns) {
		return w.columns[w.place]
	}
	return nil
}

func (w *sqlWalk) literal(t sqlToken, text string) {
	rule := w.column
	if rule == nil {
		rule = w.rowRule()
	}
	if rule == nil {
		rule = w.p.r.sqlLiterals
	}
	if rule == nil {
		w.scan(t, text)
		return
	}
	if rule.isDone(text) || w.p.r.excepted(text) {
		return
	}
	w.p.hit(rule)
	if rule.action == ActionDrop {
		w.p.dropped = true
	}
	w.put(t, w.p.replacement(rule, text))
}

// scan looks for what detectors find, and for named keys in JSON and URLs.
func (w *sqlWalk) scan(t sqlToken, text string) {
	plain := strings.ReplaceAll(text, "''", "'")
	replaced, changed := w.p.text(plain, shapeProse, w.depth+1)
	if !changed {
		return
	}
	if len(plain) != len(text) {
		replaced = strings.ReplaceAll(replaced, "'", "''")
	}
	w.put(t, replaced)
}

// put replaces a literal; a number becomes a text, so that it stays SQL, apart
// from one that it touches.
func (w *sqlWalk) put(t sqlToken, text string) {
	if t.kind == sqlNumber {
		text = "'" + text + "'"
		if t.start > 0 && w.e.text[t.start-1] == '\'' {
			text = " " + text
		}
		if t.end < len(w.e.text) && w.e.text[t.end] == '\'' {
			text += " "
		}
	}
	w.e.put(t.start, t.end, text)
}
