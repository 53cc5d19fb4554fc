package filter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What a filter means is shown by its canonical form, which has no short forms.
func TestString(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{" \n", ""},
		{"status>=500", "status >= 500"},
		{"status = '500'", "status = 500"},
		{"status > 499.5", "status > 499"},
		{"status != 200.5", "status > -1"},
		{"status = -1", "status < -1"},
		{"status:5xx", "status >= 500 AND status <= 599"},
		{"status:500..599", "status >= 500 AND status <= 599"},
		{"status BETWEEN 500 AND 599", "status >= 500 AND status <= 599"},
		{"status NOT BETWEEN 500 AND 599 OR a:1", "status < 500 OR status > 599 OR a = 1"},
		{"status IN (500, 502, 500, 1e9, -1, 2.5)", "status IN (500, 502, 1000000000)"},
		{"status IN (500)", "status = 500"},
		{"status NOT IN (500.5)", "status > -1"},
		{"status in (500.5)", "status < -1"},
		{"duration_ms:>800", "duration_ms > 800"},
		{"duration_ms > 812.4", "duration_ms > 812.4"},
		{"duration_ms >= 250us", "duration_ms >= 0.25"},
		{"duration:>1.5s", "duration > 1.5s"},
		{"duration > 1m30.5s", "duration > 90.5s"},
		{"duration > 1500", "duration > 1.5us"},
		{"duration > 1000001", "duration > 1000.001us"},
		{"duration > 0", "duration > 0"},
		{"response_bytes:>1MiB", "response_bytes > 1048576"},
		{"response_bytes:1.5kB..2kb", "response_bytes >= 1500 AND response_bytes <= 2000"},
		{"route:/projects/*", "route LIKE '/projects/%'"},
		{`route:/a\*b_*%`, `route LIKE '/a*b\\_%\\%'`},
		{`path:a\ b`, "path = 'a b'"},
		{"route:*", "EXISTS route"},
		{"EXISTS user_id", "EXISTS user_id"},
		{`user_id:u_1137 status:5xx -route:/health "timed out"`, `user_id = 'u_1137' AND status >= 500 AND status <= 599 AND NOT route = '/health' AND "timed out"`},
		{"user_id:123", "user_id = 123"},
		{"user_id:'123'", "user_id = '123'"},
		{"n:1..5", "n >= 1 AND n <= 5"},
		{"path:a..b", "path = 'a..b'"},
		{"name:f(x)", "name = 'f(x)'"},
		{"(name:f(x))", "name = 'f(x)'"},
		{"ts:>2026-01-31T12:00:00+02:00", "ts > '2026-01-31T10:00:00Z'"},
		{"trace_id = 4BF92F3577B34DA6A3CE929D0E0E4736", "trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'"},
		{"attributes.plan = 'x' AND resource.host.name:y", "attributes['plan'] = 'x' AND resource['host.name'] = 'y'"},
		{`attributes["it's"] = "a\"b"`, `attributes['it\'s'] = 'a"b'`},
		{"a:1 OR b:2 AND c:3", "a = 1 OR (b = 2 AND c = 3)"},
		{"(a:1 OR b:2) c:3", "(a = 1 OR b = 2) AND c = 3"},
		{"((a:1))", "a = 1"},
		{"a:1 AND (b:2 AND (c:3))", "a = 1 AND b = 2 AND c = 3"},
		{"NOT NOT a:1", "a = 1"},
		{"--a:1", "a = 1"},
		{"-(a:1 b:2)", "NOT (a = 1 AND b = 2)"},
		{"NOT a:1 b:2", "NOT a = 1 AND b = 2"},
		{"name NOT LIKE 'a%' name not ilike 'b' name !~ 'c'", "name NOT LIKE 'a%' AND name NOT ILIKE 'b' AND name !~ 'c'"},
		{"timeout NOT status:500", `"timeout" AND NOT status = 500`},
		{"status", `"status"`},
		{"/projects/7 10.0.0.1 500", `"/projects/7" AND "10.0.0.1" AND "500"`},
		{"error OR timeout", `"error" OR "timeout"`},
		{"status = 5 ;", `status = 5 AND ";"`},
		{"x-request-id:7", "x-request-id = 7"},
		{"error_group:00000000000000Af", "error_group = '00000000000000af'"},
		{"severity:error", "severity >= 17 AND severity <= 20"},
		{"severity:>=WARN", "severity >= 13"},
		{"severity > 'info'", "severity > 12"},
		{"severity < 'info' OR severity <= \"debug\"", "severity < 9 OR severity <= 8"},
		{"severity IN ('error', 18, 21)", "severity IN (17, 18, 19, 20, 21)"},
		{"severity != 'fatal'", "severity < 21 OR severity > 24"},
		{"'it\\'s\\n'", `"it's\n"`},
	} {
		t.Run(tc.in, func(t *testing.T) {
			e, err := Parse(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.String(); got != tc.want {
				t.Fatalf("got  %s\nwant %s", got, tc.want)
			}
			roundTrip(t, e)
		})
	}
}

// dump writes all that a tree says, but for positions.
func dump(n Node) string {
	terms := func(all []Node) string {
		var out []string
		for _, t := range all {
			out = append(out, dump(t))
		}
		return strings.Join(out, ", ")
	}
	field := func(f *Field) string { return fmt.Sprintf("%q[%q]", f.Column.Name, f.Key) }
	matcher := func(m *Matcher) string { return fmt.Sprintf("%d %q %q %v", m.Form, m.Text, m.RE2, m.Repair) }
	switch n := n.(type) {
	case nil:
		return "everything"
	case *And:
		return "And(" + terms(n.Terms) + ")"
	case *Or:
		return "Or(" + terms(n.Terms) + ")"
	case *Not:
		return "Not(" + dump(n.Term) + ")"
	case *Compare:
		return fmt.Sprintf("Compare(%s %s %+v)", field(&n.Field), n.Op, n.Value)
	case *In:
		return fmt.Sprintf("In(%s %v %+v)", field(&n.Field), n.Not, n.Values)
	case *Pattern:
		return fmt.Sprintf("Pattern(%s %v %d %q %s)", field(&n.Field), n.Not, n.Kind, n.Source, matcher(n.Matcher))
	case *Exists:
		return "Exists(" + field(&n.Field) + ")"
	case *FreeText:
		return fmt.Sprintf("FreeText(%q %s)", n.Text, matcher(n.Matcher))
	}
	panic(fmt.Sprintf("a new node: %T", n))
}

func roundTrip(t *testing.T, e *Expr) {
	t.Helper()
	again, err := Parse(e.String())
	if err != nil {
		t.Fatalf("the canonical form %s: %v", e, err)
	}
	if got, want := dump(again.Root), dump(e.Root); got != want {
		t.Fatalf("the canonical form %s has another tree:\n got %s\nwant %s", e, got, want)
	}
}

var fuzzSeeds = []string{
	"", "status >= 500 AND route = '/projects/:id/tasks'", "duration_ms > 1m30s",
	`attributes['plan'] = "x\"y"`, "trace_id != '4bf92f3577b34da6a3ce929d0e0e4736'",
	"ts >= '2026-01-01T00:00:00Z'", "status = 1e-999999999", "a['", "\xff", "-", "1e", "status>-+1",
	`user_id:u_1137 status:5xx -route:/health "timed out"`, "route:/projects/* OR (a:1..2 NOT b:>=3)", "status IN (1, 2.5, '3')",
	"name NOT ILIKE '%\u212a_%'", `path ~ '(?i)^/a.*\\pL{2}$'`, "EXISTS attributes.plan", "a NOT IN ('', 1)", "response_bytes:>1.5MiB", "duration NOT BETWEEN 1s AND 2d",
	`a:\`, "a:(b", "x:y)z", "not:1", "NOT(a)", "a:b:c", `a:>="x y"`, "-(-(-a))", "error_group:0000000000000001",
}

// No text makes the parser panic; what it refuses has a place and an
// expectation, what it takes is the same after it was written and read.
func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	r := sample()
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			var fe *Error
			if !errors.As(err, &fe) {
				t.Fatalf("Parse(%q): %v is no *Error", s, err)
			}
			if fe.Pos < 0 || fe.Length < 0 || fe.Pos+fe.Length > len(s) || fe.Expected == "" || fe.Found == "" {
				t.Fatalf("Parse(%q): bad error %+v", s, fe)
			}
			return
		}
		e.Match(&r)
		for _, n := range Conjuncts(e) {
			if n.Pos() < 0 || n.Pos() >= len(s) {
				t.Fatalf("Parse(%q): a part at %d", s, n.Pos())
			}
		}
		if len(e.String()) <= MaxLength { // the canonical form may be longer
			roundTrip(t, e)
		}
	})
}

// FuzzLexer checks that tokens cover a text in order, in both modes.
func FuzzLexer(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, term bool) {
		l := lexer{src: s}
		for at := 0; ; {
			tok, err := l.read(term)
			if err != nil {
				return
			}
			if strings.Trim(s[at:tok.pos], " \t\r\n") != "" {
				t.Fatalf("%q: nothing between %d and %d", s, at, tok.pos)
			}
			if tok.kind == tokEnd {
				return
			}
			if tok.raw == "" || s[tok.pos:tok.pos+len(tok.raw)] != tok.raw {
				t.Fatalf("%q: token %+v", s, tok)
			}
			at = tok.pos + len(tok.raw)
		}
	})
}
