package correlationprocessor

import (
	"fmt"
	"net/url"
	"strings"
)

// maxSegments bounds what is split of a path.
const maxSegments = 32

// template is a path template: literal segments, {key} for one that is a key's
// value, * for any one, and at the end ** for any number of them.
type template struct {
	segments []segment
	rest     bool // ends with **
}

type segment struct {
	literal string
	key     string // the attribute of the key, with its prefix
	any     bool
}

func parseTemplate(text string) (template, error) {
	var t template
	path, ok := strings.CutPrefix(text, "/")
	if !ok {
		return t, fmt.Errorf("want a path that begins with /, such as /orders/{order_id}, got %q", text)
	}
	names := map[string]bool{}
	for path != "" {
		var s string
		s, path, _ = strings.Cut(path, "/")
		name, brace := strings.CutPrefix(s, "{")
		name, closed := strings.CutSuffix(name, "}")
		switch {
		case s == "**":
			if path != "" {
				return t, fmt.Errorf("want ** at the end, got %q", text)
			}
			t.rest = true
		case s == "*":
			t.segments = append(t.segments, segment{any: true})
		case brace && closed:
			if !keyName.MatchString(name) || names[name] {
				return t, fmt.Errorf("want each key once, named by 1 to 64 letters, digits, '_', '.' and '-', got %q", text)
			}
			names[name] = true
			t.segments = append(t.segments, segment{key: name})
		case strings.ContainsAny(s, "{}*"):
			return t, fmt.Errorf("want segments that are text, {key} or *, got %q", text)
		default:
			t.segments = append(t.segments, segment{literal: s})
		}
	}
	if len(names) == 0 || len(t.segments) > maxSegments {
		return t, fmt.Errorf("want one or more {key} in at most %d segments, got %q", maxSegments, text)
	}
	return t, nil
}

// match calls f with the keys of a path and says whether the template is its.
func (t *template) match(segments []string, f func(key, value string)) bool {
	if len(segments) != len(t.segments) && (!t.rest || len(segments) < len(t.segments)) {
		return false
	}
	for i := range t.segments {
		if s := &t.segments[i]; s.key == "" && !s.any && s.literal != segments[i] || s.key != "" && segments[i] == "" {
			return false
		}
	}
	for i := range t.segments {
		if s := &t.segments[i]; s.key != "" {
			if value, ok := unescapePath(segments[i]); ok {
				f(s.key, value)
			}
		}
	}
	return true
}

func unescapePath(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	s, err := url.PathUnescape(s)
	return s, err == nil
}

// splitPath appends the segments of a path, without a slash at its end.
func splitPath(to []string, path string) []string {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if path == "" || len(path) > maxURL {
		return to
	}
	for len(to) < maxSegments {
		s, rest, more := strings.Cut(path, "/")
		to = append(to, s)
		if !more {
			return to
		}
		path = rest
	}
	return to[:0] // deeper than any template
}
