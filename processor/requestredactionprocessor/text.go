package requestredactionprocessor

import (
	"net/url"
	"strings"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// text masks the values of named keys inside a string that is JSON, a form or a
// URL, and returns how many. A string that is none of them comes back as it is.
// JSON need not be complete: captured bodies are often cut.
func (m *matcher) text(s string) (string, int) {
	trimmed := strings.TrimLeft(s, " \t\r\n")
	if trimmed == "" {
		return s, 0
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		return m.json(s)
	}
	return m.query(s)
}

// json masks inside JSON text with one scan over its tokens: a string followed by
// a colon is a key; the value behind it is replaced whole, whatever it is. What
// is not touched keeps its spelling byte for byte.
func (m *matcher) json(s string) (string, int) {
	var out strings.Builder
	n, copied := 0, 0
	for i := 0; i < len(s); {
		if s[i] != '"' {
			i++
			continue
		}
		end := stringEnd(s, i)
		colon := skipSpace(s, end)
		if colon >= len(s) || s[colon] != ':' {
			i = end
			continue
		}
		value := skipSpace(s, colon+1)
		if value >= len(s) || m.of(unquote(s[i:end])) != mask {
			i = colon + 1
			continue
		}
		out.WriteString(s[copied:value])
		out.WriteString(`"` + conventions.Mask + `"`)
		n++
		copied = valueEnd(s, value)
		i = copied
	}
	if n == 0 {
		return s, 0
	}
	out.WriteString(s[copied:])
	return out.String(), n
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd gives the index after the string that begins at i, or the length of
// s when it is cut.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// valueEnd gives the index after the value that begins at i.
func valueEnd(s string, i int) int {
	switch s[i] {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		depth := 0
		for ; i < len(s); i++ {
			switch s[i] {
			case '"':
				i = stringEnd(s, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(s)
	}
	for i < len(s) && !strings.ContainsRune(",}] \t\r\n", rune(s[i])) {
		i++
	}
	return i
}

// unquote gives the key a JSON string spells, well enough for matching: escapes
// of ASCII are undone, so that "p\u0061ssword" is no way around.
func unquote(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`)
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] != 'u' || i+4 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		var r rune
		for _, c := range s[i+1 : i+5] {
			r = r<<4 | hexDigit(c)
		}
		b.WriteRune(r)
		i += 4
	}
	return b.String()
}

func hexDigit(c rune) rune {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0
}

// query masks the parameters of a form, of a query string, or of a URL's query
// and fragment, and the user and password of a URL.
func (m *matcher) query(s string) (string, int) {
	var out strings.Builder
	n, copied := 0, 0
	if start, end := userinfo(s); end > start {
		out.WriteString(s[:start])
		out.WriteString(conventions.Mask)
		copied = end
		n++
	}
	start := strings.IndexByte(s, '?') + 1
	for i := max(start, copied); i < len(s); {
		end := i + strings.IndexAny(s[i:], "&;#")
		if end < i {
			end = len(s)
		}
		if key, value, ok := strings.Cut(s[i:end], "="); ok && value != "" && m.of(unescape(key)) == mask {
			out.WriteString(s[copied : end-len(value)])
			out.WriteString(conventions.Mask)
			copied = end
			n++
		}
		i = end + 1
	}
	if n == 0 {
		return s, 0
	}
	out.WriteString(s[copied:])
	return out.String(), n
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

func unescape(key string) string {
	if u, err := url.QueryUnescape(key); err == nil {
		return u
	}
	return key
}
