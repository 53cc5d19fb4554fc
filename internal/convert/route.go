package convert

import "strings"

// RouteVersion is the version of the templating below. A change of what it
// gives for some path splits the history of a route, so it is a new version.
const RouteVersion = 1

// maxSegments bounds a template's length; what is deeper becomes *.
const maxSegments = 16

const placeholder = ":id"

// Template makes a route of a path: segments that look like values become :id,
// the query is cut. What already is a template comes out unchanged. Values are
// all-digit segments, UUIDs, hexadecimal of eight digits or more with a decimal
// digit among them, ULIDs, prefixed ids such as acc_108, addresses with an @,
// and anything longer than 48 bytes.
func Template(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if !needsTemplate(path) {
		return path
	}
	var b strings.Builder
	b.Grow(len(path))
	for n := 0; path != ""; n++ {
		if n == maxSegments {
			b.WriteByte('*')
			break
		}
		seg, rest, more := strings.Cut(path, "/")
		writeSegment(&b, seg)
		if more {
			b.WriteByte('/')
		}
		path = rest
	}
	return b.String()
}

func writeSegment(b *strings.Builder, seg string) {
	if isValue(seg) {
		b.WriteString(placeholder)
		return
	}
	b.WriteString(seg)
}

// needsTemplate spares the common case, a route that is one already, the copy.
func needsTemplate(path string) bool {
	for n := 0; path != ""; n++ {
		seg, rest, _ := strings.Cut(path, "/")
		if n == maxSegments || isValue(seg) {
			return true
		}
		path = rest
	}
	return false
}

const (
	minHexValue    = 8
	maxWordSegment = 48
	ulidLen        = 26
	uuidLen        = 36
)

func isValue(seg string) bool {
	if seg == "" || seg[0] == ':' || seg[0] == '{' || seg[0] == '*' || seg[0] == '<' {
		return false
	}
	if len(seg) > maxWordSegment {
		return true
	}
	digits, hex, other, dashes, at := 0, 0, 0, 0, false
	for i := range len(seg) {
		switch c := seg[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			hex++
		case c == '-':
			dashes++
		case c == '@':
			at = true
			other++
		default:
			other++
		}
	}
	switch {
	case digits == 0:
		return at && other > 1
	case digits == len(seg), at:
		return true
	case other == 0 && dashes == 0:
		return digits+hex >= minHexValue
	case other == 0 && dashes == 4 && len(seg) == uuidLen:
		return true
	case len(seg) == ulidLen && isULID(seg):
		return true
	}
	return prefixedID(seg)
}

// isULID says whether seg is 26 digits of Crockford's base 32.
func isULID(seg string) bool {
	for i := range len(seg) {
		c := seg[i] &^ 0x20 // upper case; digits lose a bit and are tested first
		if seg[i] >= '0' && seg[i] <= '9' {
			continue
		}
		if c < 'A' || c > 'Z' || c == 'I' || c == 'L' || c == 'O' || c == 'U' {
			return false
		}
	}
	return true
}

// prefixedID says whether seg is a word, an underscore, and digits.
func prefixedID(seg string) bool {
	i := strings.LastIndexByte(seg, '_')
	if i <= 0 || i == len(seg)-1 {
		return false
	}
	for _, c := range []byte(seg[i+1:]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
