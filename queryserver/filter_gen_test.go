package queryserver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trackwayhq/trackway/internal/filter"
)

var (
	filterNumbers = []string{"0", "1", "100", "99.5", "-1", "1e2", "0.1", "0.3", "1e30", "4.35", "123456789012345678", "9007199254740992", "2.2250738585072011e-308", "-0", "+1"}
	filterMaps    = []string{"attributes", "correlation", "request_headers", "resource"}
	filterTexts   = []string{"service", "env", "route", "name", "message", "path", "type", "span_status", "marks", "error_message", "kind"}
	filterLikes   = []string{"a%", "%b", "%a%b%", "_", "__", "%_", `\%`, `\_%`, `\\%`, "a_b", "%", "", "É%", "%ß%", "%k%", "%S%", "stra_e", "%out%", "timed%", "_%_", "%é%", "%\ufffd%"}
	filterRegexps = []string{
		"a.c", "^a", "b$", "(?i)straße", `\bb\b`, "[^a]", ".", "^.$", "^..$", "^...$", `\pL`, `\d+`, "(?s)a.b", "a.b", "^$", "", "(?m)^b$", "[[:alpha:]]+", "1{2,3}", "x*", `\x{FFFD}`, "(a|b)b?",
		`\bk\b`, `^\b`, `\b$`, `.\b.`, "(?i)k", "(?i)[k-s]", `\W`, `\S+ `, "^[^\n]*$", "(?i:timed) out", `\p{Greek}`, `^\PL*$`, "a.*b", "(?U)a+?", `^.{3}$`, "é|É", `\.`, `\\`, "[^\x00-\x7f]",
	}
	filterShort = []string{
		"status:5xx", "status:1XX", "status:200..400", "status:>=300", "status:500", "duration_ms:>1", "duration:>1ms", "duration:1ms..2ms", "duration:<=500us", "request_bytes:>=1kB", "request_bytes:1MiB", "request_bytes:<1GiB",
		"a:*", "user_id:*", "service:*", "status:*", "severity:*", "request_bytes:*", "trace_id:*", "error_group:*", "ts:*", "type:event", "type:*e*", "a:1..100", "user_id:0..1e2", "route:/projects/*", "name:*out", "path:a*b", "user_id:u_*",
		"user_id:>5", "a:<=1.0", "error_group:1000000000000000", "ts:>2026-11-01T12:00:00.5Z", "none:x", "severity:info", "severity:>debug", "severity:!=warn", "user_id:u_1137", "a:1", "http.route:1",
	}
)

// randomFilter writes a filter and parses it.
func randomFilter(t *testing.T, r *rand.Rand) *filter.Expr {
	t.Helper()
	text := randomTerms(r, 3)
	expr, err := filter.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return expr
}

func randomTerms(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return randomLeaf(r)
	}
	sub := func() string { return randomTerms(r, depth-1) }
	switch r.IntN(7) {
	case 0:
		return sub() + " AND " + sub()
	case 1:
		return sub() + " OR " + sub()
	case 2:
		return "NOT " + sub()
	case 3:
		return "(" + sub() + " or " + sub() + ")"
	case 4:
		return "-(" + sub() + ")"
	case 5:
		return sub() + " " + sub()
	default:
		return randomLeaf(r)
	}
}

// of picks one.
func of(r *rand.Rand, all []string) string { return all[r.IntN(len(all))] }

// literalText is a text of the language in quotes; filters are UTF-8.
func literalText(r *rand.Rand) string {
	for {
		if s := of(r, awkward); utf8.ValidString(s) {
			return quote(s)
		}
	}
}

func randomLeaf(r *rand.Rand) string {
	op := of(r, []string{"=", "!=", "<", "<=", ">", ">="})
	equal := of(r, []string{"=", "!="})
	not := of(r, []string{"", " NOT"})
	key := func() string {
		return of(r, filterMaps) + "[" + quote(of(r, []string{"a", "user_id", "x", "none", "'", `\`})) + "]"
	}
	promoted := func() string {
		return "attributes[" + quote(of(r, []string{
			"http.route", "url.path", "http.request.method", "client.address", "http.response.status_code", "http.request.body.size", "exception.type", "http.method",
		})) + "]"
	}
	bare := func() string { return of(r, []string{"a", "user_id", "none", "http.route"}) }
	text := func() string {
		return []func() string{key, key, promoted, bare, func() string { return of(r, filterTexts) }}[r.IntN(5)]()
	}
	literal := func() string { return literalText(r) }
	either := func() string {
		if r.IntN(2) == 0 {
			return of(r, filterNumbers)
		}
		return literal()
	}
	list := func(one func() string) string {
		out := []string{one()}
		for range r.IntN(12) {
			out = append(out, one())
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	switch r.IntN(20) {
	case 0:
		return of(r, filterTexts) + " " + op + " " + literal()
	case 1:
		return "status " + op + " " + of(r, []string{"200", "499.5", "-1", "100", "70000"})
	case 2:
		return "duration_ms " + op + " " + of(r, []string{"0.5", "1", "1.5", "0.4999", "2ms", "1500µs"})
	case 3:
		return "severity " + op + " " + of(r, filterNumbers)
	case 4:
		return fmt.Sprintf("trace_id %s '%02x%030x'", equal, r.IntN(3), 0)
	case 5:
		return "ts " + op + " '2026-11-01T12:00:00.5Z'"
	case 6:
		return fmt.Sprintf("error_group%s IN ('%d000000000000000', '%d000000000000000')", not, r.IntN(3), r.IntN(3))
	case 7:
		return text() + not + " IN " + list(either)
	case 8:
		return of(r, filterTexts) + not + " IN " + list(literal)
	case 9:
		return "status" + not + " IN " + list(func() string { return of(r, []string{"0", "100", "200.5", "300", "-1", "500"}) })
	case 10:
		return text() + not + of(r, []string{" LIKE ", " ILIKE "}) + quote(of(r, filterLikes))
	case 11:
		return text() + " " + of(r, []string{"~", "!~"}) + " " + quote(of(r, filterRegexps))
	case 12:
		return "EXISTS " + of(r, []string{key(), promoted(), bare(), "service", "status", "duration", "trace_id", "error_group", "severity"})
	case 13:
		return of(r, []string{quote("timed out"), quote("é"), "k", "S", "a", "out", quote("STRASSE"), quote("straße"), quote("x%"), quote("'"), "100", quote("\ufffd"), quote("Σ")})
	case 14:
		return of(r, filterShort)
	case 15:
		return text() + not + " BETWEEN " + either() + " AND " + either()
	case 16:
		return "status" + not + " BETWEEN 100.5 AND 300"
	case 17:
		return bare() + " " + op + " " + either()
	case 18:
		return promoted() + " " + op + " " + either()
	default:
		return key() + " " + op + " " + either()
	}
}

// quote writes a string literal of the language.
func quote(s string) string {
	out := []byte{'\''}
	for i := range len(s) {
		if s[i] == '\'' || s[i] == '\\' {
			out = append(out, '\\')
		}
		out = append(out, s[i])
	}
	return string(append(out, '\''))
}
