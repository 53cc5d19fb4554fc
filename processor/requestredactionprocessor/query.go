package requestredactionprocessor

import (
	"net/url"
	"strings"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// query redacts the parameters of a form, of a query string, or of a URL's query
// and fragment, and the user and password of a URL that s begins with.
func (p *pass) query(s string, depth int) (string, bool) {
	e := edit{text: s}
	start, end := userinfo(s)
	if end > start {
		if r := p.r.userinfo; r != nil && !r.isDone(s[start:end]) && !p.r.excepted(s[start:end]) {
			p.hit(r)
			e.put(start, end, p.replacement(r, s[start:end]))
		}
	}
	p.parameters(&e, max(strings.IndexByte(s, '?')+1, end), len(s), depth)
	return e.done()
}

// parameters redacts the values of key=value pairs in e.text[i:stop].
func (p *pass) parameters(e *edit, i, stop, depth int) {
	for i < stop {
		end, equals := i, -1
		for ; end < stop && e.text[end] != '&' && e.text[end] != ';' && e.text[end] != '#'; end++ {
			if e.text[end] == '=' && equals < 0 {
				equals = end
			}
		}
		if equals >= 0 && equals+1 < end {
			p.parameter(e, e.text[i:equals], equals+1, end, depth)
		}
		i = end + 1
	}
}

// parameter redacts the value of one key at e.text[start:end]. A value that is
// encoded is undone, and written again when something was found in it.
func (p *pass) parameter(e *edit, key string, start, end, depth int) {
	value := e.text[start:end]
	if r := p.of(unescape(strings.TrimSpace(key))).rule; r != nil {
		if text := unescape(value); !r.isDone(text) && !p.r.excepted(text) {
			p.hit(r)
			e.put(start, end, p.replacement(r, text))
		}
		return
	}
	if strings.IndexByte(value, '%') < 0 && !isJSON(value) && !strings.Contains(value, "://") {
		return
	}
	plain := unescape(value)
	if text, changed := p.text(plain, shapeProse, depth+1); changed {
		if plain == value {
			e.put(start, end, text)
			return
		}
		// The mask is written as it is everywhere.
		e.put(start, end, strings.ReplaceAll(url.QueryEscape(text), url.QueryEscape(conventions.Mask), conventions.Mask))
	}
}

// urls redacts the parameters of the URLs in a text, and of paths as in GET
// /login?token=x. Either ends where white space or a quote does.
func (p *pass) urls(s string, depth int) (string, bool) {
	e := edit{text: s}
	for i := 0; i < len(s); {
		mark := i
		for mark < len(s) && s[mark] != '?' && s[mark] != '#' {
			mark++
		}
		if mark == len(s) {
			break
		}
		start := mark
		for start > i && strings.IndexByte(urlEnds, s[start-1]) < 0 {
			start--
		}
		i = mark + 1
		if start < mark && (s[start] == '/' || strings.Contains(s[start:mark], "://")) {
			end := urlEnd(s, i)
			p.parameters(&e, i, end, depth)
			i = end
		}
	}
	return e.done()
}

// urlEnds are the bytes that no URL in a text contains.
const urlEnds = " \t\r\n\"'<>`\\"

func urlEnd(s string, i int) int {
	if n := strings.IndexAny(s[i:], urlEnds); n >= 0 {
		return i + n
	}
	return len(s)
}

// userinfo gives the place of user:password in a URL; both are 0 without one.
func userinfo(s string) (start, end int) {
	scheme := strings.Index(s, "://")
	if scheme < 0 || strings.ContainsAny(s[:scheme], "/?#&=") {
		return 0, 0
	}
	start = scheme + len("://")
	authority := s[start:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at <= 0 || authority[:at] == conventions.Mask {
		return 0, 0
	}
	return start, start + at
}

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return unescapePercent(s)
}

// unescapePercent undoes what is percent-encoded and leaves what only looks so.
func unescapePercent(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if isPercent(s, i) {
			b.WriteByte(byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2])))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isPercent(s string, i int) bool {
	return i+2 < len(s) && s[i] == '%' && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0
}
