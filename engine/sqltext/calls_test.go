package sqltext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/sqltext"
)

func TestCalls(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT file('x'), a FROM t":                       {"file"},
		"(1, 'file(', \"fi\\x6ce\" ( 2), `a``b`(3))":       {"file", "a`b"},
		"now /* x( */ (), -- file(\n File -- y\n (1)":      {"now", "file"},
		"('it''s file(1)', 'a\\'file(1)', 1 - (2), b*(3))": nil,
		"a.file(1), 1 / (2), x /(3)":                       {"file"},
	} {
		require.Subset(t, append(sqltext.Calls(text), "a"), want, text)
		for size := 1; size < len(text); size++ {
			var found []string
			var scanner sqltext.CallScanner
			for at := 0; at < len(text); at += size {
				scanner.Scan([]byte(text[at:min(at+size, len(text))]), func(name string) { found = append(found, name) })
			}
			require.Subset(t, append(found, "a"), append(want, "a"), text)
			require.NotContains(t, found, "it", text)
			if want == nil {
				require.NotContains(t, found, "file", text)
			}
		}
	}
	require.Equal(t, []string{"a'b", " ; ", "c'd"}, sqltext.Literals(`SELECT 'a\'b', $x$ ; $x$, 'c''d', "e"`))
	require.Equal(t, map[string][]string{"a": {"b", "c"}, "d e": {"f"}}, sqltext.Assignments("SELECT 1 SETTINGS A = 'b', a='c', `d e` = 'f', g = 1"))
}
