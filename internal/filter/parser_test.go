package filter

import (
	"errors"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	for _, tc := range []struct {
		in       string
		pos      int
		found    string
		expected string
	}{
		{"status", 6, "end of filter", "one of = != < <= > >="},
		{"status >=", 9, "end of filter", "a number"},
		{"status >= abc", 10, `"abc"`, "a number"},
		{"status == 500", 8, `"="`, "a number"},
		{"status ! 500", 7, `"! "`, "one of ="},
		{"stat = 500", 0, `"stat"`, "a column such as status"},
		{"user_id = 'u_1'", 0, `"user_id"`, "attributes['user_id'] or correlation['user_id']"},
		{"Status = 500", 0, `"Status"`, "the column status"},
		{"traceid = 'x'", 0, `"traceid"`, "the column trace_id"},
		{"= 500", 0, `"="`, "a column such as status"},
		{"status = 500 route = 'x'", 13, `"route"`, "AND or the end"},
		{"status = 500 OR status = 404", 13, `"OR"`, "AND or the end"},
		{"status = 500 AND", 16, "end of filter", "a column"},
		{"status = 500 AND AND", 17, `"AND"`, "a column"},
		{"route = 'x", 10, "end of filter", "the closing ' of the string at byte 8"},
		{"route = x", 8, `"x"`, "a string in quotes"},
		{"route > 5ms", 8, `"5ms"`, "a string in quotes"},
		{"attributes = 'x'", 11, `"="`, "[, as in attributes['key']"},
		{"attributes[plan] = 'x'", 11, `"plan"`, "a quoted key"},
		{"attributes[''] = 'x'", 11, `"''"`, "a quoted key"},
		{"attributes['plan' = 'x'", 18, `"="`, "]"},
		{"attributes['n'] > 5ms", 18, `"5ms"`, "a number, or a string"},
		{"trace_id = 'abc'", 11, `"'abc'"`, "32 hex digits"},
		{"span_id > '00f067aa0ba902b7'", 8, `">"`, "= or !="},
		{"ts > 'yesterday'", 5, `"'yesterday'"`, "a time in quotes"},
		{"duration > 5parsecs", 11, `"5parsecs"`, "a duration such as"},
		{"status = 5 ;", 11, `";"`, "a column, an operator or a literal"},
		{"status > 1.2.3", 9, `"1.2.3"`, "a number such as"},
		{"route = 'é' x", 13, `"x"`, "AND or the end"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			_, err := Parse(tc.in)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%q) = %v, want an *Error", tc.in, err)
			}
			if e.Pos != tc.pos || e.Found != tc.found || !strings.Contains(e.Expected, tc.expected) {
				t.Errorf("Parse(%q)\n got %d, %s, %s\nwant %d, %s, %s", tc.in, e.Pos, e.Found, e.Expected, tc.pos, tc.found, tc.expected)
			}
		})
	}
}

func TestParseLimitsLength(t *testing.T) {
	if _, err := Parse(strings.Repeat(" ", MaxLength+1)); err == nil {
		t.Error("a filter past MaxLength was accepted")
	}
}

func TestParseTree(t *testing.T) {
	e, err := Parse(`status >= 500 and route = '/a\'b' AND attributes["k"] != 1.5`)
	if err != nil {
		t.Fatal(err)
	}
	cs := comparisons(e)
	if len(cs) != 3 {
		t.Fatalf("got %d conditions, want 3", len(cs))
	}
	if c := cs[0]; c.Column.Name != "status" || c.Op != Ge || c.Value.Uint != 500 || c.Pos() != 0 {
		t.Errorf("first condition: %+v", c)
	}
	if c := cs[1]; c.Value.Text != "/a'b" || c.Pos() != 18 {
		t.Errorf("second condition: %+v", c)
	}
	if c := cs[2]; c.Key != "k" || c.Op != Ne || !c.Numeric() || c.Value.Float != 1.5 {
		t.Errorf("third condition: %+v", c)
	}
}

func TestIntegerBounds(t *testing.T) {
	for _, tc := range []struct {
		in   string
		op   Op
		want uint64
	}{
		{"status > 499.5", Gt, 499},
		{"status >= 499.5", Gt, 499},
		{"status < 499.5", Le, 499},
		{"status <= 499.5", Le, 499},
		{"status = 499.5", Never, 499},
		{"status != 499.5", Always, 499},
		{"status > -1", Always, 0},
		{"status < -0.5", Never, 0},
		{"status != -1", Always, 0},
		{"duration < 1e30", Always, 0},
		{"duration >= 1e30", Never, 0},
		{"status = '500'", Eq, 500},
		{"duration_ms > 800", Gt, 800_000_000},
		{"duration_ms = 812.4", Eq, 812_400_000},
		{"duration_ms >= 0.1", Ge, 100_000},
		{"duration > 1m30.5s", Gt, 90_500_000_000},
		{"duration_ms < 250µs", Lt, 250_000},
		{"duration > 1e-999999999", Gt, 0},
		{"duration < 18446744073709551615", Lt, 1<<64 - 1},
	} {
		e, err := Parse(tc.in)
		if err != nil {
			t.Errorf("%s: %v", tc.in, err)
			continue
		}
		c := comparisons(e)[0]
		if c.Op != tc.op || (tc.op != Never && tc.op != Always && c.Value.Uint != tc.want) {
			t.Errorf("%s: got %s %d, want %s %d", tc.in, c.Op, c.Value.Uint, tc.op, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "status >= 500 AND route = '/projects/:id/tasks'", "duration_ms > 1m30s",
		`attributes['plan'] = "x\"y"`, "trace_id != '4bf92f3577b34da6a3ce929d0e0e4736'",
		"ts >= '2026-01-01T00:00:00Z'", "status = 1e-999999999", "a['", "\xff", "-", "1e", "status>-+1",
	} {
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
			if fe.Pos < 0 || fe.Pos > len(s) || fe.Expected == "" || fe.Found == "" {
				t.Fatalf("Parse(%q): bad error %+v", s, fe)
			}
			return
		}
		e.Match(&r)
		for _, c := range comparisons(e) {
			if c.Pos() < 0 || c.Pos() >= len(s) {
				t.Fatalf("Parse(%q): condition at %d", s, c.Pos())
			}
		}
	})
}

// comparisons are the conjuncts of a filter that are plain comparisons.
func comparisons(e *Expr) []*Compare {
	var out []*Compare
	for _, n := range Conjuncts(e) {
		if c, ok := n.(*Compare); ok {
			out = append(out, c)
		}
	}
	return out
}
