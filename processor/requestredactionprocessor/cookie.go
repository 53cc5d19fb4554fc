package requestredactionprocessor

import "strings"

// cookies redacts inside the value of a Cookie or Set-Cookie header (RFC 6265)
// that is not masked whole: pairs between semicolons, quoted perhaps.
func (p *pass) cookies(s string, depth int) (string, bool) {
	e := edit{text: s}
	for i := 0; i < len(s); {
		end := i + strings.IndexByte(s[i:], ';')
		if end < i {
			end = len(s)
		}
		if key, value, ok := strings.Cut(s[i:end], "="); ok {
			start := end - len(value)
			value = strings.TrimRight(value, " \t\r\n")
			if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' {
				start++
				value = value[1 : n-1]
			}
			if value != "" {
				p.parameter(&e, key, start, start+len(value), depth)
			}
		}
		i = end + 1
	}
	return e.done()
}
