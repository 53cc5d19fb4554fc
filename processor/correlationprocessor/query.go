package correlationprocessor

import (
	"net/url"
	"strings"
)

const (
	// maxURL is how much of a URL or a query is read, in bytes: no server of note
	// takes longer ones.
	maxURL = 8 << 10
	// maxParameters is how many parameters of a query are looked at.
	maxParameters = 256
)

// splitURL gives path and query of a URL or of a request's target.
func splitURL(s string) (path, query string) {
	if len(s) > maxURL {
		return "", ""
	}
	s, _, _ = strings.Cut(s, "#")
	s, query, _ = strings.Cut(s, "?")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return "/", query
		}
		s = rest[i:]
	}
	return s, query
}

// eachParameter calls f with the parameters of a query (the URL standard's
// application/x-www-form-urlencoded), decoded. What is malformed is passed over.
func eachParameter(query string, f func(name, value string)) {
	if len(query) > maxURL {
		return
	}
	query = strings.TrimPrefix(query, "?")
	for n := 0; query != "" && n < maxParameters; n++ {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		if name, ok = unescape(name, url.QueryUnescape); !ok {
			continue
		}
		if value, ok = unescape(value, url.QueryUnescape); ok {
			f(name, value)
		}
	}
}
