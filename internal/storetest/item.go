package storetest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// clock turns times of a script into real ones and back.
type clock struct{ base time.Time }

// offset reads @1h2m3s.
func offset(s string) (time.Duration, error) {
	text, ok := strings.CutPrefix(s, "@")
	if !ok {
		return 0, fmt.Errorf("a time is written @1m30s, got %q", s)
	}
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("a time is written @1m30s, got %q", s)
	}
	return d, nil
}

var timeWord = regexp.MustCompile(`@-?[0-9][0-9a-zµ.]*`)

// expand replaces every time of a text by RFC 3339.
func (c clock) expand(s string) string {
	return timeWord.ReplaceAllStringFunc(s, func(word string) string {
		d, err := offset(word)
		if err != nil {
			return word
		}
		return c.base.Add(d).UTC().Format(time.RFC3339Nano)
	})
}

// show writes an RFC 3339 time as the script would; other texts stay.
func (c clock) show(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || len(s) < len("2006-01-02T15:04:05Z") {
		return s
	}
	return "@" + t.Sub(c.base).String()
}

// items makes NDJSON items of a line of a load block.
func (c clock) items(line string) ([]json.RawMessage, error) {
	if strings.HasPrefix(line, "{") {
		return []json.RawMessage{json.RawMessage(c.expand(line))}, nil
	}
	words, err := fields(line)
	if err != nil {
		return nil, err
	}
	if len(words) < 2 {
		return nil, fmt.Errorf("an item is a type, a time and field=value, or a line of NDJSON; got %q", line)
	}
	at, step, err := schedule(words[1])
	if err != nil {
		return nil, err
	}
	rest, count := words[2:], 1
	if len(rest) > 0 {
		if n, ok := strings.CutPrefix(rest[0], "x"); ok && !strings.Contains(rest[0], "=") {
			if count, err = strconv.Atoi(n); err != nil || count < 1 {
				return nil, fmt.Errorf("a repetition is written x5, got %q", rest[0])
			}
			rest = rest[1:]
		}
	}
	item := map[string]any{"type": words[0]}
	for _, word := range rest {
		if err := setField(item, word); err != nil {
			return nil, err
		}
	}
	var out []json.RawMessage
	for i := range count {
		item["ts"] = c.base.Add(at + time.Duration(i)*step).UTC().Format(time.RFC3339Nano)
		text, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// schedule reads @2m, or @2m+10s for a start and a step.
func schedule(s string) (start, step time.Duration, err error) {
	first, every, repeated := strings.Cut(s, "+")
	if start, err = offset(first); err != nil {
		return 0, 0, err
	}
	if repeated {
		if step, err = time.ParseDuration(every); err != nil {
			return 0, 0, fmt.Errorf("a step is written @1m+10s, got %q", s)
		}
	}
	return start, step, nil
}

// setField puts key=value, or map.key=value, into an item.
func setField(item map[string]any, word string) error {
	key, value, ok := strings.Cut(word, "=")
	if !ok || key == "" {
		return fmt.Errorf("a field is written key=value, got %q", word)
	}
	parsed, err := parseValue(value)
	if err != nil {
		return err
	}
	outer, inner, nested := strings.Cut(key, ".")
	if !nested {
		item[key] = parsed
		return nil
	}
	m, ok := item[outer].(map[string]any)
	if !ok {
		m = map[string]any{}
		item[outer] = m
	}
	m[inner] = parsed
	return nil
}

// maxNumber is the longest word read as a number; longer ones are ids made of
// digits, which a float would change.
const maxNumber = 15

// parseValue reads a number, a quoted text or a bare word.
func parseValue(s string) (any, error) {
	if strings.HasPrefix(s, "\"") || strings.HasPrefix(s, "`") {
		text, err := strconv.Unquote(s)
		if err != nil {
			return nil, fmt.Errorf("%s is not a quoted text", s)
		}
		return text, nil
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && len(s) <= maxNumber && json.Valid([]byte(s)) {
		return n, nil
	}
	return s, nil
}
