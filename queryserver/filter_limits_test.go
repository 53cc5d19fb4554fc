package queryserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// What the language takes at its limits, the store takes too: patterns that RE2
// would find too large, long lists, many terms, deep nesting.
func TestStoreTakesTheLargestFilters(t *testing.T) {
	s := newTestStore(t)
	s.insert(record.Record{Kind: record.Request, Project: "default", Time: completeTime, RID: 1, Service: "api", Path: strings.Repeat("aé", 600)})
	text := strings.Repeat("a", filter.MaxPattern)
	for name, in := range map[string]string{
		"classes":      `path ~ '\\pL{7}'`,
		"any":          "path ~ '^.{999}'",
		"not":          "path ~ '[^b]{1000}'",
		"folded":       "path ILIKE '_" + strings.Repeat("É", 200) + "_'",
		"alternatives": "path ~ '(abc|def|(?i:ghi)){100}'",
		"nested":       "path ~ '((a?){30}b?){10}'",
		"long":         "path ~ '(" + text[:500] + "|" + text[:500] + ")'",
		"long text":    `"` + text + `"`,
		"many":         strings.Repeat(`path ~ '^(.*)(é|a){20}$' `, filter.MaxPatterns),
		"terms":        strings.Repeat("attributes['k'] > 1 OR ", filter.MaxTerms-1) + "service:api",
		"bare numbers": strings.Repeat("k:>1 ", filter.MaxTerms),
		"promoted":     strings.Repeat("attributes['http.route'] > 5 OR ", filter.MaxTerms-1) + "service:api",
		"list":         "service IN ('api'" + numbered("'x%d'", filter.MaxValues-1) + ")",
		"bare list":    "k IN ('api'" + numbered("%d", filter.MaxValues-1) + ")",
		"longest list": "service IN ('" + strings.Repeat("x", 15_000) + "', 'api')",
		"numbers":      "attributes['http.route'] IN (1" + numbered("%d.5", filter.MaxValues-1) + ")",
		"dimensions":   strings.Repeat("status:1 OR ", filter.MaxTerms-1) + "service:api",
		"deep":         strings.Repeat("NOT (status:1 OR ", filter.MaxDepth/2-1) + "status:2" + strings.Repeat(")", filter.MaxDepth/2-1),
	} {
		t.Run(name, func(t *testing.T) {
			expr, err := filter.Parse(in)
			if err != nil {
				t.Fatal(err)
			}
			status, body := s.get("requests", "filter", in, "from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z")
			if status != 200 {
				t.Fatalf("%d: %.500s", status, body)
			}
			rec := record.Record{Kind: record.Request, Service: "api", Path: strings.Repeat("aé", 600)}
			if got := strings.Contains(string(body), `"id"`); got != expr.Match(&rec) {
				t.Errorf("the store says %v, Match %v", got, !got)
			}
		})
	}
}

// numbered is the rest of a list: n values made of their numbers.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ","+format, i)
	}
	return b.String()
}
