package requestredactionprocessor

import (
	"encoding/base64"
	"strings"
)

const (
	minJWTHeader  = 12 // {"alg":""} in base64
	minJWTPayload = 4
	// minBearer and sureBearer are lengths of a token: shorter ones are words of
	// a sentence, longer ones never are, and between them it takes a digit or
	// mixed case.
	minBearer  = 8
	sureBearer = 24
)

// findJWTs finds JSON web tokens, signed and encrypted ones, in compact form
// (RFC 7515, 7516). The signature may be missing: captured bodies are cut, and
// the claims are readable without it.
func findJWTs(s string, found []span) []span {
	headerEnd := 0
	for i := 0; ; {
		n := strings.IndexByte(s[i:], 'e')
		if n < 0 {
			return found
		}
		start := i + n
		i = start + 1
		if !startsWord(s, start) {
			continue
		}
		if start >= headerEnd {
			headerEnd = urlToken.run(s, start)
		}
		if headerEnd-start < minJWTHeader || headerEnd >= len(s) || s[headerEnd] != '.' || !isJOSEHeader(s[start:headerEnd]) {
			continue
		}
		end := urlToken.run(s, headerEnd+1)
		if end-headerEnd-1 < minJWTPayload && (end >= len(s) || s[end] != '.') {
			continue
		}
		for parts := 2; parts < 5 && end < len(s) && s[end] == '.'; parts++ {
			next := urlToken.run(s, end+1)
			if next == end+1 && parts > 2 {
				break
			}
			end = next
		}
		found = append(found, span{start: start, end: end})
		i = end
	}
}

// isJOSEHeader says whether s is the base64 of an object with one of the members
// that headers of tokens have. Only the begin is looked at, in whole quanta.
func isJOSEHeader(s string) bool {
	var decoded [192]byte
	n, err := base64.RawURLEncoding.Decode(decoded[:], []byte(s[:min(len(s)&^3, 256)]))
	if err != nil && n == 0 {
		return false
	}
	header := string(decoded[:n])
	if !strings.HasPrefix(strings.TrimLeft(header, " \t\r\n"), "{") {
		return false
	}
	for _, member := range [...]string{`"alg"`, `"typ"`, `"kid"`, `"enc"`, `"cty"`, `"jku"`, `"jwk"`, `"x5`} {
		if strings.Contains(header, member) {
			return true
		}
	}
	return false
}

// findBearers finds credentials behind an authentication scheme: any token
// behind Bearer (RFC 6750), and what is the base64 of user:password behind Basic
// (RFC 7617). The scheme stays.
func findBearers(s string, found []span) []span {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if c != 'b' || !startsWord(s, i) {
			continue
		}
		if start := afterScheme(s, i, "bearer"); start > 0 {
			end := padding(s, anyToken.run(s, start))
			for end > start && s[end-1] == '.' {
				end-- // of the sentence
			}
			if isBearer(s[start:end]) {
				found = append(found, span{start: start, end: end})
				i = end - 1
			}
		} else if start := afterScheme(s, i, "basic"); start > 0 {
			end := base64Set.run(s, start)
			if isBasic(s[start:end]) {
				found = append(found, span{start: start, end: padding(s, end)})
				i = end - 1
			}
		}
	}
	return found
}

// afterScheme gives where the credentials begin behind scheme at i, or 0.
func afterScheme(s string, i int, scheme string) int {
	if len(s)-i < len(scheme)+1 || !strings.EqualFold(s[i:i+len(scheme)], scheme) {
		return 0
	}
	start := i + len(scheme)
	for start < len(s) && strings.IndexByte(" \t:=+\"'", s[start]) >= 0 {
		start++
	}
	if strings.HasPrefix(s[start:], "%20") {
		start += len("%20")
	}
	if start == i+len(scheme) {
		return 0
	}
	return start
}

func padding(s string, i int) int {
	for i < len(s) && s[i] == '=' {
		i++
	}
	return i
}

func isBearer(token string) bool {
	if len(token) < minBearer {
		return false
	}
	if len(token) >= sureBearer {
		return true
	}
	lower, upper := false, false
	for i := range len(token) {
		c := token[i]
		switch {
		case isDigit(c):
			return true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z' && i > 0:
			upper = true
		}
	}
	return lower && upper
}

func isBasic(token string) bool {
	if len(token) < 4 {
		return false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(token[:len(token)&^3])
	if err != nil {
		return false
	}
	if rest := token[len(token)&^3:]; len(rest) > 1 {
		last, err := base64.RawStdEncoding.DecodeString(rest)
		if err != nil {
			return false
		}
		decoded = append(decoded, last...)
	}
	colon := false
	for _, c := range decoded {
		if c < ' ' {
			return false
		}
		colon = colon || c == ':'
	}
	return colon
}
