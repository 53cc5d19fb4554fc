package requestredactionprocessor

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// minBase64 is the shortest encoded text that is undone. Shorter ones hold
// nothing a detector finds but what any word could be.
const minBase64 = 16

// maxParts bounds the places of a run at which base64 is tried to begin.
const maxParts = 8

// escapedToken are the characters of a text that was percent-encoded, or whose
// characters are spelled as in JSON.
var escapedToken = newCharset("09AZaz%%..__~~++--!!**''(())@@\\\\")

// encoded looks behind the encodings in which secrets travel inside other text:
// percent-encoding, the escapes of JSON, and base64. What holds something is
// replaced whole, since the text around it is meant for a machine.
func (p *pass) encoded(s string, c clue, depth int) (string, bool) {
	changed := false
	if c&(cluePercent|clueEscape) != 0 {
		s, changed = p.escaped(s, depth)
	}
	if len(s) >= minBase64 {
		text, found := p.base64(s, depth)
		return text, changed || found
	}
	return s, changed
}

func (p *pass) escaped(s string, depth int) (string, bool) {
	e := edit{text: s}
	for i := 0; i < len(s); {
		n := strings.IndexAny(s[i:], `%\`)
		if n < 0 {
			break
		}
		at := i + n
		i = at + 1
		if !isPercent(s, at) && !strings.HasPrefix(s[at:], `\u`) {
			continue
		}
		start := escapedToken.runBack(s, at, at-e.copied)
		end := escapedToken.run(s, at)
		i = end
		if end-start < shortest {
			continue
		}
		decoded := unescapeJSON(unescapePercent(s[start:end]))
		_, found := p.text(decoded, shapeProse, depth+1)
		if !found && strings.IndexByte(s[start:end], '+') >= 0 { // forms write a blank so
			_, found = p.text(strings.ReplaceAll(decoded, "+", " "), shapeProse, depth+1)
		}
		if found {
			e.put(start, end, conventions.Mask)
		}
	}
	return e.done()
}

// base64 undoes each run of the alphabet that decodes to text. It looks at every
// 16th byte only, which a long enough run cannot avoid.
func (p *pass) base64(s string, depth int) (string, bool) {
	e := edit{text: s}
	for i := minBase64 - 1; i < len(s); {
		if !isBase64[s[i]] {
			i += minBase64
			continue
		}
		start := isBase64.runBack(s, i, minBase64-1)
		end := isBase64.run(s, i)
		i = end + minBase64
		if end-start < minBase64 {
			continue
		}
		// The run may have begun with a path or a name: base64 of text begins at
		// the start of a word.
		for n := 0; n < maxParts && end-start >= minBase64; n++ {
			if decoded, ok := decodeText(s[start:end]); ok {
				if _, found := p.text(decoded, shapeProse, depth+1); found {
					e.put(start, padding(s, end), conventions.Mask)
					break
				}
			}
			start = nextPart(s, start, end)
		}
	}
	return e.done()
}

var isBase64 = newCharset("09AZaz++//--__")

// opensQuantum are the characters that ASCII text but line breaks and tabs, and
// the first bytes of what is longer in UTF-8, can begin a quantum with.
var opensQuantum = newCharset("CCDDIZafwz09++//__--")

// nextPart gives where the run goes on behind the next separator in it.
func nextPart(s string, start, end int) int {
	for start < end && isWord(s[start]) {
		start++
	}
	return start + 1
}

// decodeText gives the text that s, of minBase64 characters at least, is the
// base64 of, in either alphabet. The first characters decide about nearly
// everything that is none: that of a quantum holds the upper bits of a byte,
// which of text are few.
func decodeText(s string) (string, bool) {
	if c := s[0]; c < 'I' || c > 'f' || !opensQuantum[c] || !opensQuantum[s[4]] || !opensQuantum[s[8]] {
		return "", false
	}
	encoding := base64.RawStdEncoding
	if strings.IndexByte(s, '-') >= 0 || strings.IndexByte(s, '_') >= 0 {
		encoding = base64.RawURLEncoding
	}
	var first [9]byte
	if n, err := encoding.Decode(first[:], []byte(s[:12])); err != nil || !beginsText(first[:n]) {
		return "", false
	}
	if len(s)%4 == 1 {
		s = s[:len(s)-1] // cut
	}
	decoded, err := encoding.DecodeString(s)
	if err != nil || !isText(decoded) || !utf8.Valid(decoded) {
		return "", false
	}
	return string(decoded), true
}

// beginsText says whether b is the begin of a text; its last character may be cut.
func beginsText(b []byte) bool {
	if !isText(b) {
		return false
	}
	for range utf8.UTFMax - 1 {
		if utf8.Valid(b) {
			return true
		}
		b = b[:len(b)-1]
	}
	return utf8.Valid(b)
}

func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
