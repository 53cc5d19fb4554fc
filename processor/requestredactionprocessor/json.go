package requestredactionprocessor

import (
	"strings"
	"unicode/utf8"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// json redacts inside JSON text, or text with JSON in it, with one scan over its
// tokens: a string followed by a colon is a key; the value behind a key that is
// named is replaced whole, whatever it is. Strings with escapes, and those that
// are paths with a query, are looked into as texts of their own. What is not touched keeps its
// spelling byte for byte, and the text may be cut anywhere.
func (p *pass) json(s string, c clue, depth int) (string, bool) {
	e := edit{text: s}
	for i := max(0, strings.IndexAny(s, "{[")); i < len(s); {
		switch {
		case s[i] == '"':
			i = p.jsonString(&e, i, c, depth)
		case c&clueNumber12 != 0 && isDigit(s[i]):
			i = p.jsonNumber(&e, i)
		default:
			i++
		}
	}
	return e.done()
}

// jsonString redacts the string that begins at i, or the value behind it when it
// is a key, and gives where to go on.
func (p *pass) jsonString(e *edit, i int, c clue, depth int) int {
	s := e.text
	end := stringEnd(s, i)
	colon := skipSpace(s, end)
	if colon < len(s) && s[colon] == ':' {
		value := skipSpace(s, colon+1)
		if value >= len(s) {
			return value
		}
		r := p.of(unquote(s[i:end])).rule
		if r == nil {
			return value
		}
		end = valueEnd(s, value)
		if text := unquote(s[value:end]); !r.isDone(text) && !p.r.excepted(text) {
			p.hit(r)
			e.put(value, end, jsonReplacement(r, p.replacement(r, text)))
		}
		return end
	}
	escaped := c&clueEscape != 0 && strings.IndexByte(s[i:end], '\\') >= 0
	path := end-i > len(`"/"`) && s[i+1] == '/' && strings.IndexByte(s[i:end], '?') >= 0
	if escaped || path {
		if text, changed := p.text(unquote(s[i:end]), shapeProse, depth+1); changed {
			e.put(i, end, quote(text))
		}
	}
	return end
}

// jsonReplacement gives the JSON of a replaced value.
func jsonReplacement(r *rule, text string) string {
	if r.action == ActionDrop {
		return "null"
	}
	return quote(text)
}

// jsonNumber replaces a number at i that a detector finds, by a string, so that
// the text stays JSON; it gives where to go on.
func (p *pass) jsonNumber(e *edit, i int) int {
	end := i
	for end < len(e.text) && (isWord(e.text[end]) || e.text[end] == '.') {
		end++
	}
	if end-i < 12 || !delimits(e.text, i, end) {
		return end
	}
	if text, changed := p.detect(e.text[i:end], clueDigits7|clueNumber9|clueNumber12|clueIBAN); changed {
		e.put(i, end, quote(text))
	}
	return end
}

// delimits says whether s[i:end] is a token of JSON and not a part of prose.
func delimits(s string, i, end int) bool {
	before, after := i, skipSpace(s, end)
	for before > 0 && isSpace(s[before-1]) {
		before--
	}
	return before > 0 && strings.IndexByte(":,[", s[before-1]) >= 0 && (after == len(s) || strings.IndexByte(",]}", s[after]) >= 0)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
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
	for i < len(s) && strings.IndexByte(",}] \t\r\n", s[i]) < 0 {
		i++
	}
	return i
}

// unquote gives the text a JSON string spells; anything else, and an escape that
// is none, stays as it is. A string that is cut is taken as far as it goes.
func unquote(s string) string {
	if s == "" || s[0] != '"' {
		return s
	}
	if s = s[1:]; strings.HasSuffix(s, `"`) {
		s = s[:len(s)-1]
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescapeJSON(s)
}

// unescapeJSON undoes the escapes of RFC 8259, section 7.
func unescapeJSON(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n', 'r', 't', 'b', 'f':
			b.WriteByte("\n\r\t\b\f"[strings.IndexByte("nrtbf", c)])
		case 'u':
			r, ok := hexRune(s[i+1:])
			if !ok {
				b.WriteString(`\u`)
				continue
			}
			i += 4
			if r >= 0xd800 && r < 0xdc00 && strings.HasPrefix(s[i+1:], `\u`) {
				if low, ok := hexRune(s[i+3:]); ok && low >= 0xdc00 && low < 0xe000 {
					r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
					i += 6
				}
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hexRune reads four hexadecimal digits.
func hexRune(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		d := hexDigit(s[i])
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// hexDigit gives the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// quote gives the JSON string that spells s. Bytes that are no UTF-8 become
// U+FFFD, as everywhere in JSON.
func quote(s string) string {
	if s == conventions.Mask {
		return `"` + conventions.Mask + `"`
	}
	const digits = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(append(b, '"'))
}
