package queryserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// field is what records are counted and grouped by: a column, the class of a
// status, or a key of a map.
type field struct {
	name   string         // as answers give it, and as filters write it
	column *filter.Column // nil for statusClass
	key    string         // of a map
}

// statusClass is a field of its own: 2xx, 4xx, 5xx, and none for 0.
const statusClass = "status_class"

const statusClassSQL = "if(status = 0, 'none', concat(toString(intDiv(status, 100)), 'xx'))"

// maxFieldLength bounds the name of one field, in bytes.
const maxFieldLength = 256

// notCounted are columns whose values are as good as never the same twice, or
// too long to be listed.
var notCounted = map[string]bool{
	"type": true, "ts": true, "duration": true, "duration_ms": true, "trace_id": true, "span_id": true, "parent_span_id": true,
	"error_stack": true, "request_body": true, "response_body": true,
}

// filterColumns are the columns of the filter language by name.
var filterColumns = func() map[string]*filter.Column {
	m := map[string]*filter.Column{}
	for _, c := range filter.Columns() {
		m[c.Name] = c
	}
	return m
}()

// parseFields reads a list of fields separated by commas, 1 to limit of them, none
// twice.
func parseFields(text string, kind record.Kind, limit int) ([]field, error) {
	var out []field
	for _, part := range splitFields(text) {
		f, err := parseField(strings.TrimSpace(part), kind)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o field) bool { return o.name == f.name }) {
			return nil, fmt.Errorf("%s is there twice", f.name)
		}
		out = append(out, f)
	}
	if len(out) > limit {
		return nil, fmt.Errorf("want at most %d fields, got %d", limit, len(out))
	}
	return out, nil
}

// splitFields cuts at commas that are not inside quotes.
func splitFields(text string) []string {
	var out []string
	var quote rune
	from, escaped := 0, false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ',':
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}

var errFieldForm = errors.New("want a column such as route, status_class, or a key of a map such as attributes['plan'] or correlation['account_id']")

// parseField reads one field of records of a kind. A key of a map is written as in
// filters, or after a dot.
func parseField(text string, kind record.Kind) (field, error) {
	if len(text) > maxFieldLength {
		return field{}, fmt.Errorf("a field has at most %d bytes, got %d", maxFieldLength, len(text))
	}
	if text == statusClass && kind != record.Event {
		return field{name: text}, nil
	}
	name, key := text, ""
	if at := strings.IndexAny(text, ".["); at > 0 {
		name = text[:at]
		if text[at] == '.' {
			key = text[at+1:]
		} else if key = unquoteKey(text[at:]); key == "" {
			return field{}, fmt.Errorf("%q: %w", text, errFieldForm)
		}
	}
	c := filterColumns[name]
	switch {
	case c == nil:
		return field{}, fmt.Errorf("%q: %w", text, errFieldForm)
	case !c.In(kind):
		return field{}, fmt.Errorf("%ss have no column %q", kind, name)
	case notCounted[name]:
		return field{}, fmt.Errorf("%s differs from record to record: records cannot be counted by it", name)
	case (c.Type == filter.Map) != (key != ""):
		return field{}, fmt.Errorf("%q: %w", text, errFieldForm)
	case key == "":
		return field{name: name, column: c}, nil
	}
	return field{name: mapField(name, key), column: c, key: key}, nil
}

// mapField is how filters write a key of a map.
func mapField(column, key string) string { return column + "['" + keyEscapes.Replace(key) + "']" }

var (
	keyEscapes   = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	keyUnescapes = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`)
)

// unquoteKey reads ['key'] or ["key"]; it gives "" for anything else.
func unquoteKey(s string) string {
	s, ok := strings.CutPrefix(s, "[")
	if s, ok = cutSuffix(s, "]", ok); !ok || len(s) < 3 || s[0] != s[len(s)-1] || s[0] != '\'' && s[0] != '"' {
		return ""
	}
	return keyUnescapes.Replace(s[1 : len(s)-1])
}

func cutSuffix(s, suffix string, ok bool) (string, bool) {
	if !ok {
		return s, false
	}
	return strings.CutSuffix(s, suffix)
}

// inRollup says whether the rollups with these dimensions know the field.
func (f field) inRollup(dimensions map[string]bool) bool {
	if f.column == nil {
		return dimensions["status"]
	}
	return f.key == "" && dimensions[f.column.Name]
}

// attribute says whether the field is an attribute that the map holds.
func (f field) attribute(kind record.Kind) bool {
	if f.column == nil || f.column.Name != "attributes" {
		return false
	}
	p := record.PromotedAttribute(kind, f.key)
	return p == nil || p.Attribute != f.key
}

// sql is the field's value as text, empty where a record has none.
func (f field) sql(kind record.Kind, p *params) string {
	value, _ := f.entry(kind, p)
	return value
}

// entry is the field's value as text, and whether a record has one.
func (f field) entry(kind record.Kind, p *params) (value, present string) {
	switch {
	case f.column == nil:
		return statusClassSQL, sqlTrue
	case f.key == "":
		return "toString(" + f.column.Source + ")", sqlTrue
	}
	c := filter.Equal("service", "")
	c.Column, c.Key = f.column, f.key
	e := entryOf(c, kind, p)
	return e.value, e.present
}
