package queryserver

import (
	"strings"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// compileMatcher says in SQL whether a pattern matches source, an expression that
// gives text.
func compileMatcher(m *filter.Matcher, source string, p *params) string {
	switch m.Form {
	case filter.Anything:
		return sqlTrue
	case filter.Equals:
		return source + " = " + p.text(m.Text)
	case filter.HasPrefix:
		return "startsWith(" + source + ", " + p.text(m.Text) + ")"
	case filter.HasSuffix:
		return "endsWith(" + source + ", " + p.text(m.Text) + ")"
	case filter.Contains:
		return "position(" + source + ", " + p.text(m.Text) + ") > 0"
	case filter.ContainsFold:
		if foldsWithinASCII(m.Text) {
			return "positionCaseInsensitive(" + source + ", " + p.text(m.Text) + ") > 0"
		}
	}
	if m.Repair {
		// RE2 takes no byte that is no UTF-8 for a character; the language takes a run
		// of them for one.
		source = "toValidUTF8(" + source + ")"
	}
	return "match(" + source + ", " + p.text(m.RE2) + ")"
}

// foldsWithinASCII says whether a text equals, without regard to case, nothing
// outside ASCII: K and S do, the Kelvin sign and the long s. The store's search
// without regard to case knows ASCII only and is several times faster than RE2.
func foldsWithinASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return !strings.ContainsAny(s, "kKsS")
}

// compileFreeText looks for a text in the columns that a kind of record has.
func compileFreeText(n *filter.FreeText, kind record.Kind, p *params) string {
	var any []string
	for _, name := range filter.TextColumns {
		if c := filter.ColumnNamed(name); c.In(kind) {
			any = append(any, compileMatcher(n.Matcher, c.Source, p))
		}
	}
	return "(" + strings.Join(any, " OR ") + ")"
}
