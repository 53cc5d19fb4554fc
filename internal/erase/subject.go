package erase

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/clickhouse"
)

// Subject is whom to remove.
type Subject struct {
	// Project whose records are meant; all of them when empty.
	Project string
	// Key is the name of a correlation key, such as user_id.
	Key string
	// Values are what the key may hold for this person: the value, and its keyed
	// hash where keys are hashed.
	Values []string
}

// Validate says what is missing.
func (s Subject) Validate() error {
	if s.Key == "" {
		return errors.New("--key: want the name of a correlation key, such as user_id")
	}
	if len(s.Values) == 0 || slices.Contains(s.Values, "") {
		return errors.New("--value: want the key's value")
	}
	return nil
}

// forms gives the values as they may stand in other texts: as they are, and
// escaped as in a URL or in JSON.
func (s Subject) forms() []string {
	var out []string
	for _, v := range s.Values {
		out = append(out, v, url.QueryEscape(v), url.PathEscape(v), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pattern is an RE2 that finds a form as a word of its own: u_1 is not in u_11.
func (s Subject) pattern() string {
	forms := s.forms()
	for i, f := range forms {
		forms[i] = regexp.QuoteMeta(f)
	}
	return `(^|[^A-Za-z0-9_])(` + strings.Join(forms, "|") + `)($|[^A-Za-z0-9_])`
}

// values gives the values as a list of literals.
func (s Subject) values() string {
	list := make([]string, len(s.Values))
	for i, v := range s.Values {
		list[i] = clickhouse.String(v)
	}
	return strings.Join(list, ", ")
}
