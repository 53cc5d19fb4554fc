package requestredactionprocessor

import "strings"

// shape is how the text under a key is written.
type shape uint8

const (
	// shapeProse is any text, with JSON or URLs in it perhaps.
	shapeProse shape = iota
	// shapeForm is JSON, a form, a query string or a URL.
	shapeForm
	shapeCookie
	shapeSQL
)

const (
	// shortest text that can hold a secret: pwd=x.
	shortest = len("pwd=x")
	// maxEncodings bounds the encodings within each other that are undone, as in
	// JSON in a string of JSON in a parameter of a URL. Each costs a copy.
	maxEncodings = 4
)

// text redacts s in place, whatever it is, and says whether it changed. First
// what named keys mask in JSON, forms, URLs, cookies and SQL; then what detectors
// find as it stands; then what they find behind an encoding.
func (p *pass) text(s string, shape shape, depth int) (string, bool) {
	if len(s) < shortest {
		return s, false
	}
	if depth > maxEncodings {
		p.unscannable = true
		return s, false
	}
	c := filter.of(s)
	var named, linked, paired, block bool
	if c&cluePEM != 0 { // it has lines and dashes, which mean something to the walks
		s, block = p.detect(s, c)
	}
	switch {
	case shape == shapeCookie:
		s, named = p.cookies(s, depth)
	case shape == shapeSQL && !isJSON(s):
		s, named = p.sql(s, c, depth)
	case isJSON(s) || c&clueMember != 0 && strings.IndexByte(s, '{') >= 0:
		s, named = p.json(s, c, depth)
	case shape == shapeForm && isMultipart(s):
		s, named = p.multipart(s, depth)
	case shape == shapeForm:
		s, named = p.query(s, depth)
		c &^= clueQuery // which it was about
	}
	if c&clueQuery != 0 {
		s, linked = p.urls(s, depth)
	}
	if c&(cluePair|clueColon|clueDash) != 0 {
		s, paired = p.pairs(s, c)
	}
	s, plain := p.detect(s, c)
	s, hidden := p.encoded(s, c, depth)
	return s, block || named || linked || paired || plain || hidden
}

func isJSON(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			return true
		default:
			return false
		}
	}
	return false
}

// edit collects the replacements of a text from its begin to its end.
type edit struct {
	text   string
	out    strings.Builder
	copied int
	n      int
}

// put replaces text[start:end]; what was put before ends at or before start.
func (e *edit) put(start, end int, replacement string) {
	e.out.WriteString(e.text[e.copied:start])
	e.out.WriteString(replacement)
	e.copied = end
	e.n++
}

// done gives the text with all replacements, and whether there were any.
func (e *edit) done() (string, bool) {
	if e.n == 0 {
		return e.text, false
	}
	e.out.WriteString(e.text[e.copied:])
	return e.out.String(), true
}
