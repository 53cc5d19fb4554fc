package correlationprocessor

import (
	"net/url"
	"strings"
)

// Limits of W3C Baggage (section 3.3, "Limits"): what a platform must be able to
// propagate, and more than that is not read.
const (
	maxBaggageBytes   = 8192
	maxBaggageMembers = 64
)

// eachBaggageMember calls f with the members of a baggage header (W3C Baggage,
// section 3.2): key=value;property, …, values percent-encoded. What is malformed
// is passed over.
func eachBaggageMember(header string, f func(name, value string)) {
	if len(header) > maxBaggageBytes {
		// The member that is cut in two must not count.
		header = header[:strings.LastIndexByte(header[:maxBaggageBytes], ',')+1]
	}
	for n := 0; header != "" && n < maxBaggageMembers; n++ {
		var member string
		member, header, _ = strings.Cut(header, ",")
		member, _, _ = strings.Cut(member, ";")
		name, value, ok := strings.Cut(member, "=")
		name, value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
		if !ok || !isToken(name) {
			continue
		}
		if value, ok = unescape(value, url.PathUnescape); ok {
			f(name, value)
		}
	}
}

// isToken says whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// unescape decodes s where it has anything to decode.
func unescape(s string, decode func(string) (string, error)) (string, bool) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, true
	}
	s, err := decode(s)
	return s, err == nil
}
