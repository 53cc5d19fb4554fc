package requestredactionprocessor

import "strings"

// formData begins what a part of a multipart form says of itself (RFC 7578).
const formData = "form-data;"

// maxPartHeader bounds the header of a part, in bytes.
const maxPartHeader = 4096

func isMultipart(s string) bool {
	return strings.HasPrefix(s, "--") && strings.Contains(s[:min(len(s), 1024)], formData)
}

// multipart redacts the parts of a form (RFC 7578) by their names, and looks
// into the others. The form may be cut anywhere behind its first boundary.
func (p *pass) multipart(s string, depth int) (string, bool) {
	boundary, _, _ := strings.Cut(s, "\n")
	boundary = strings.TrimRight(boundary, "\r")
	e := edit{text: s}
	for i := 0; len(boundary) > len("--"); {
		n := strings.Index(s[i:], formData)
		if n < 0 {
			break
		}
		header := i + n
		blank, size := blankLine(s[header:min(len(s), header+maxPartHeader)])
		if blank < 0 {
			break
		}
		start := header + blank + size
		end := len(s)
		if n := strings.Index(s[start:], boundary); n >= 0 {
			end = start + n
		}
		i = end
		end = start + len(strings.TrimRight(s[start:end], "\r\n"))
		if start == end {
			continue
		}
		value := s[start:end]
		if r := p.of(partName(s[header : header+blank])).rule; r != nil {
			if !r.isDone(value) && !p.r.excepted(value) {
				p.hit(r)
				e.put(start, end, p.replacement(r, value))
			}
		} else if text, changed := p.text(value, shapeProse, depth+1); changed {
			e.put(start, end, text)
		}
	}
	return e.done()
}

// blankLine gives where the empty line behind a header begins, and its size.
func blankLine(s string) (at, size int) {
	if n := strings.Index(s, "\r\n\r\n"); n >= 0 {
		return n, len("\r\n\r\n")
	}
	return strings.Index(s, "\n\n"), len("\n\n")
}

// partName gives the name of a part from its Content-Disposition.
func partName(header string) string {
	_, name, _ := strings.Cut(header, "name=")
	name, _, _ = strings.Cut(name, "\n")
	if rest, quoted := strings.CutPrefix(name, `"`); quoted {
		name, _, _ = strings.Cut(rest, `"`)
		return name
	}
	name, _, _ = strings.Cut(name, ";")
	return strings.TrimSpace(name)
}
