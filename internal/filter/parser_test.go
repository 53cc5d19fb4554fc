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
		length   int
		found    string
		expected string
	}{
		{"status >=", 9, 0, "end of filter", "a number"},
		{"status >= abc", 10, 3, `"abc"`, "a number"},
		{"status == 500", 8, 1, `"="`, "a number"},
		{"status ! 500", 7, 2, `"! "`, "one of ="},
		{"status !é", 7, 3, `"!é"`, "one of ="},
		{"Status = 500", 0, 6, `"Status"`, "the column status"},
		{"traceid = 'x'", 0, 7, `"traceid"`, "the column trace_id"},
		{"sttaus = 500", 0, 6, `"sttaus"`, "the column status"},
		{"statis:5xx", 0, 6, `"statis"`, "the column status"},
		{"durationms:>5", 0, 10, `"durationms"`, "the column duration_ms"},
		{"service.name = 'x'", 0, 12, `"service.name"`, "the column service, or resource['service.name']"},
		{"= 500", 0, 1, `"="`, "a field such as status"},
		{"status = 500 AND", 16, 0, "end of filter", "a field such as status"},
		{"status = 500 AND AND", 17, 3, `"AND"`, "a field such as status"},
		{"status = 500 OR", 15, 0, "end of filter", "a field such as status"},
		{"NOT", 3, 0, "end of filter", "a field such as status"},
		{"- ", 2, 0, "end of filter", "a field such as status"},
		{"(status = 500", 13, 0, "end of filter", "the ) of the ( at byte 0"},
		{"status = 500)", 12, 1, `")"`, "the end of the filter"},
		{"()", 1, 1, `")"`, "a field such as status"},
		{"route = 'x", 10, 0, "end of filter", "the closing ' of the string at byte 8"},
		{"route = x", 8, 1, `"x"`, "a string in quotes"},
		{"route > 5ms", 8, 3, `"5ms"`, "a string in quotes"},
		{"attributes = 'x'", 11, 1, `"="`, "[, as in attributes['key']"},
		{"attributes[plan] = 'x'", 11, 4, `"plan"`, "a quoted key"},
		{"attributes[''] = 'x'", 11, 2, `"''"`, "a quoted key"},
		{"attributes['plan' = 'x'", 18, 1, `"="`, "]"},
		{"attributes['n'] > 5ms", 18, 3, `"5ms"`, "a number, or a string"},
		{"attributes['n']", 15, 0, "end of filter", "one of ="},
		{"plan['x'] = 1", 0, 4, `"plan"`, "one of the maps attributes"},
		{"in:5", 0, 2, `"in"`, "a field such as status"},
		{"5 = 5", 0, 1, `"5"`, "a field such as status"},
		{"10.0.0.1:8080", 0, 8, `"10.0.0.1"`, "is searched for in quotes"},
		{"trace_id = 'abc'", 11, 5, `"'abc'"`, "32 hex digits"},
		{"span_id > '00f067aa0ba902b7'", 8, 1, `">"`, "= or !="},
		{"span_id BETWEEN 'a' AND 'b'", 8, 7, `"BETWEEN"`, "= or !="},
		{"span_id:>00f067aa0ba902b7", 8, 1, `">"`, "= or !="},
		{"ts > 'yesterday'", 5, 11, `"'yesterday'"`, "a time in quotes"},
		{"duration > 5parsecs", 11, 8, `"5parsecs"`, "a duration such as"},
		{"request_bytes > 5parsecs", 16, 8, `"5parsecs"`, "a size such as"},
		{"status > 1.2.3", 9, 5, `"1.2.3"`, "a number"},
		{"severity = error", 11, 5, `"error"`, "a number from 1 to 24, or a name"},
		{"severity IN ('eror')", 13, 6, `"'eror'"`, "a number from 1 to 24"},
		{"status IN 5", 10, 1, `"5"`, "( and a list"},
		{"status IN (5", 12, 0, "end of filter", ", or )"},
		{"status IN ()", 11, 1, `")"`, "a number"},
		{"status IN (5 6)", 13, 1, `"6"`, ", or )"},
		{"status NOT = 5", 11, 1, `"="`, "a field such as status"},
		{"status BETWEEN 5 6", 17, 1, `"6"`, "AND and the upper bound"},
		{"status LIKE '5%'", 7, 4, `"LIKE"`, "because status is no text"},
		{"status ~ '5'", 7, 1, `"~"`, "because status is no text"},
		{"status:5*", 7, 2, `"5*"`, "5xx"},
		{"status:abc", 7, 3, `"abc"`, "5xx"},
		{"status: 5", 8, 1, `"5"`, "right after the colon"},
		{"status:>", 8, 0, "end of filter", "right after the colon"},
		{"(status:)", 8, 1, `")"`, "right after the colon"},
		{"http://x/y", 5, 5, `"//x/y"`, "in quotes"},
		{"route LIKE x", 11, 1, `"x"`, "a pattern in quotes"},
		{`route LIKE 'a\\b'`, 11, 6, `"'a\\\\b'"`, "a backslash stands before %"},
		{"route ~ '('", 8, 3, `"'('"`, "an RE2 expression"},
		{"route ~ 'a{1001}'", 8, 9, `"'a{1001}'"`, "invalid repeat count"},
		{`route ~ '\\pL{900}'`, 8, 11, `"'\\\\pL{900}'"`, "a smaller expression"},
		{`route ~ '\\B'`, 8, 5, `"'\\\\B'"`, "without \\B"},
		{"timeo*", 0, 6, `"timeo*"`, "a word without *"},
		{`""`, 0, 2, `"\"\""`, "text to search for"},
		{"EXISTS", 6, 0, "end of filter", "a field"},
		{"EXISTS 'x'", 7, 3, `"'x'"`, "a field"},
		{"route = '\xff'", 9, 1, `"\xff"`, "UTF-8"},
		{", x", 0, 1, `","`, "a field such as status"},
		{"route ~ " + quote(strings.Repeat("x", MaxPattern+1), '\''), 8, MaxPattern + 3, `"'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"`, "at most 1024 bytes"},
		{strings.Repeat("x ", MaxPatterns+1), 2 * MaxPatterns, 1, `"x"`, "at most 32 patterns"},
		{strings.Repeat("x:1 ", MaxTerms-1) + "status:5xx", 4*MaxTerms + 3, 3, `"5xx"`, "at most 256 comparisons"},
		{strings.Repeat("x:1 ", MaxTerms+1), 4 * MaxTerms, 1, `"x"`, "at most 256 comparisons"},
		{"route ~ '(abc|def){500}'", 8, 16, `"'(abc|def){500}'"`, "a smaller expression"},
		{"status IN (1" + strings.Repeat(",1", MaxValues) + ")", 12 + 2*MaxValues - 1, 1, `"1"`, "at most 1000 values"},
		{strings.Repeat("(", maxNesting+1), maxNesting, 1, `"("`, "at most 256 levels"},
		{strings.Repeat("-", maxNesting+1), maxNesting, 1, `"-"`, "at most 256 levels"},
		{strings.Repeat("a:1 OR -(", MaxDepth/2) + "b:1 c:1" + strings.Repeat(")", MaxDepth/2), 9 * MaxDepth / 2, 1, `"b" at depth 65`, "at most 64 deep"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			_, err := Parse(tc.in)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%q) = %v, want an *Error", tc.in, err)
			}
			if e.Pos != tc.pos || e.Length != tc.length || e.Found != tc.found || !strings.Contains(e.Expected, tc.expected) {
				t.Errorf("Parse(%q)\n got %d+%d, %s, %s\nwant %d+%d, %s, %s", tc.in, e.Pos, e.Length, e.Found, e.Expected, tc.pos, tc.length, tc.found, tc.expected)
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

// The canonical form of what is nested as deep as may be can be read.
func TestDeepestFilters(t *testing.T) {
	for in, depth := range map[string]int{
		"a:1": MaxDepth, "status:5xx": MaxDepth - 1, "status NOT BETWEEN 1 AND 2": MaxDepth - 1, "a:1 b:2 OR c:3": MaxDepth - 2,
	} {
		for _, around := range [][2]string{{"x:1 OR NOT (", ")"}, {"(y:1 (x:1 OR y:2 AND ", "))"}, {"NOT (x:1 OR ", ")"}} {
			text := strings.Repeat(around[0], (depth-1)/2) + in + strings.Repeat(around[1], (depth-1)/2)
			e, err := Parse(text)
			if err != nil {
				t.Errorf("%s in %d of %q: %v", in, (depth-1)/2, around, err)
				continue
			}
			roundTrip(t, e)
		}
	}
	e, err := Parse(strings.Repeat("(", 200) + "a:1" + strings.Repeat(")", 200))
	if err != nil || e.String() != "a = 1" {
		t.Errorf("parentheses alone: %v", err)
	}
}
