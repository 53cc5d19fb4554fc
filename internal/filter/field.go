package filter

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trackwayhq/trackway/internal/record"
)

// field reads a field: a column, a key of a map as map['key'] or map.key, or a
// bare name.
func (p *parser) field() (Field, error) {
	if p.tok.kind != tokWord || keyword(p.tok.text) {
		return Field{}, p.expected(aField)
	}
	name := p.tok.text
	f := fieldNamed(name)
	f.pos = p.tok.pos
	if f.Bare() {
		if what := notBare(name); what != "" {
			return f, p.expected(what)
		}
	}
	p.wants(WantOperator, &f)
	if err := p.advance(); err != nil {
		return f, err
	}
	switch {
	case f.Column.Type == Map && f.Key == "":
		return f, p.index(&f)
	case p.tok.kind == tokOpenIndex:
		p.tok = token{kind: tokWord, pos: f.pos, raw: name}
		return f, p.expected("one of the maps attributes, correlation, resource, request_headers, response_headers before [")
	}
	return f, nil
}

// fieldNamed is what a word names: a column, a key of a map after a dot, or, where
// it is neither, a bare name. The key of a map's own name is empty.
func fieldNamed(name string) Field {
	if c := columnByName[name]; c != nil {
		return Field{Column: c}
	}
	prefix, key, _ := strings.Cut(name, ".")
	if c := columnByName[prefix]; c != nil && c.Type == Map && key != "" {
		return Field{Column: c, Key: key}
	}
	return Field{Column: AnyKey, Key: name}
}

// index reads the key of a map, ['key'].
func (p *parser) index(f *Field) error {
	if p.tok.kind != tokOpenIndex {
		return p.expected("[, as in " + f.Column.Name + "['key']")
	}
	p.wants(WantKey, f)
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokString || p.tok.text == "" { // OpenTelemetry knows no empty keys
		return p.expected("a quoted key, as in " + f.Column.Name + "['key']")
	}
	f.Key = p.tok.text
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokCloseIndex {
		return p.expected("]")
	}
	p.wants(WantOperator, f)
	return p.advance()
}

func keyword(word string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return strings.EqualFold(k, word) })
}

// bareName says whether a word can be a bare name: a letter or an underscore, then
// also digits and . - / @ $.
func bareName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
		if !letter && (i == 0 || !isDigit(c) && !strings.ContainsRune(".-/@$", rune(c))) {
			return false
		}
	}
	return s != "" && !keyword(s)
}

// notBare says what could stand in place of a name that is no column, where it
// cannot be the name of a key or is certainly a mistake for something else; empty
// where it is a bare name.
func notBare(name string) string {
	if !bareName(name) {
		return aField + "; a text with a sign after it is searched for in quotes"
	}
	quoted := "['" + clip(name) + "']"
	if p := record.PromotedResource(name); p != nil {
		return "the column " + p.Column + ", or resource" + quoted
	}
	if c := nearest(name); c != nil {
		return "the column " + c.Name + "; a key of that name is attributes" + quoted + " or correlation" + quoted
	}
	return ""
}

// nearest is the column that a name certainly means: the same but for case, _ and
// -, or with one slip of the finger in a name that is long enough.
func nearest(name string) *Column {
	folded := foldName(name)
	for _, c := range columns {
		if foldName(c.Name) == folded {
			return c
		}
	}
	for _, c := range columns {
		if len(c.Name) >= minTypo && slip(name, c.Name) {
			return c
		}
	}
	return nil
}

// minTypo is the shortest column name whose misspelling is recognised. Among
// shorter ones, a name that differs in one letter is often another word.
const minTypo = 6

func foldName(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

// slip says whether a is b with two neighbours exchanged, a letter left out, or a
// letter too many or wrong before the end. At the end, a letter more makes a
// plural.
func slip(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch {
	case len(a) == 0:
		return len(b) == 1
	case len(b) == 0:
		return false
	}
	return a[1:] == b || a == b[1:] || a[1:] == b[1:] ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}
