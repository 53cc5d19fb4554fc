package sqlmode

import (
	"errors"
	"strings"
	"testing"
)

func TestDumpsThatDoNotAddUp(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":            "",
		"a missing child":    "SelectWithUnionQuery (children 1)",
		"a child too many":   "SelectWithUnionQuery (children 1)\n ExpressionList\n ExpressionList",
		"a child too deep":   "SelectWithUnionQuery (children 1)\n   ExpressionList",
		"a child too high":   "SelectWithUnionQuery (children 1)\nExpressionList",
		"an empty line":      "SelectWithUnionQuery (children 1)\n \n",
		"lines behind":       "Literal UInt64_1\nLiteral UInt64_1",
		"too many to count":  "ExpressionList (children 99999999999999999999)",
		"another format":     `{"meta":[`,
		"children of a leaf": "ExpressionList (children 2)\n Identifier a (children 1)\n Function file",
	} {
		if _, err := parseDump(text); name != "another format" && !errors.Is(err, errDump) {
			t.Errorf("%s: %v", name, err)
		}
	}
	root, err := parseDump(`{"meta":[`)
	if err != nil {
		t.Fatal(err)
	}
	var refusal *Refusal
	if err := checkStatement(root, nil, nil); !errors.As(err, &refusal) {
		t.Errorf("a node of a kind that is not known: %v", err)
	}
}

func TestDumpIsRead(t *testing.T) {
	root, err := parseDump("ExpressionList (children 3)\n Function count (alias n) (children 1)\n  ExpressionList\n Literal 'x (alias y) (children 2)'\n Subquery (alias s) (children 1)\n  Identifier a.b")
	if err != nil {
		t.Fatal(err)
	}
	f, l, s := root.children[0], root.children[1], root.children[2]
	if f.kind != "Function" || f.name != "count" || f.alias != "n" || len(f.children) != 1 {
		t.Errorf("%+v", f)
	}
	if l.kind != "Literal" || l.name != "'x (alias y) (children 2)'" || l.alias != "" {
		t.Errorf("%+v", l)
	}
	if s.kind != "Subquery" || s.alias != "s" || s.children[0].name != "a.b" {
		t.Errorf("%+v", s)
	}
}

func FuzzDump(f *testing.F) {
	f.Add("SelectWithUnionQuery (children 1)\n ExpressionList (children 1)\n  SelectQuery (children 1)\n   ExpressionList (children 1)\n    Literal UInt64_1")
	f.Fuzz(func(_ *testing.T, text string) {
		if root, err := parseDump(text); err == nil {
			_ = checkStatement(root, nil, nil)
		}
		_, _ = checkTree(text)
		_ = checkNames(text)
	})
}

func TestTypes(t *testing.T) {
	for text, want := range map[string]bool{
		"UInt8": true, "Nullable(String)": true, "Array(Tuple(a UInt8, b Map(String, Float64)))": true, "DateTime64(9, 'UTC')": true, "Enum8('a' = 1, 'file' = 2)": true,
		"Decimal(18, 2)": true, "LowCardinality(FixedString(3))": true, "status UInt16, name String": true,
		"": false, " ": false, "AggregateFunction(sum, UInt8)": false, "SimpleAggregateFunction(sum, UInt64)": false, "Array(AggregateFunction(uniq, String))": false, "JSON": false, "Dynamic": false, "Variant(String)": false,
		"a String DEFAULT file('x')": false, "a String ALIAS b": false, "a String, b Object('json')": false, "String -- x": false, "`a` String": false, "Nothing": false, "UInt8\n": false,
		"AggregateFunction": false, "(AggregateFunction UInt8)": true, // an element of that name
	} {
		if got := isType(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for text, fine := range map[string]bool{
		"SELECT `a b`, `größe`, 'x\\'`y\\n' FROM requests": true, "SELECT 'a''b', `http.route`": true,
		"SELECT `a\\nb`": false, "SELECT `a(b`": false, "SELECT `a,b`": false, "SELECT ``": false, "SELECT `a": false, "SELECT 'a": false, "SELECT \"a\"": false, "SELECT\n1": false, "SELECT `a\u2028b`": false, "SELECT `it's`": false,
	} {
		if err := checkNames(text); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFunctionNames(t *testing.T) {
	for name, want := range map[string]bool{
		"count": true, "COUNT": true, "sumIf": true, "uniqExactIf": true, "quantilesTDigestWeightedIf": true, "sumArrayIf": true, "uniqStateMerge": true, "lambda": true, "exists": true, "CAST": true, "plus": true,
		"": false, "If": true, "file": false, "fileIf": false, "upperIf": false, "sumResample": false, "aggThrowIf": false, "getSetting": false, "State": false, "arrayReduce": false, "sumSimpleState": false, "multiMatchAny": false,
	} {
		if got := isAllowed(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// Expressions that are put in where they are named are counted as often as that.
func TestExpansion(t *testing.T) {
	cte := func(name string, names ...string) string {
		text := "    QUERY id: 1, is_subquery: 1, is_cte: 1, cte_name: " + name + "\n      JOIN TREE\n"
		for _, n := range names {
			text += "        IDENTIFIER id: 2, alias: x, identifier: " + n + "\n"
		}
		return text
	}
	top := func(names ...string) string {
		text := "  JOIN TREE\n"
		for _, n := range names {
			text += "    IDENTIFIER id: 3, identifier: " + n + "\n"
		}
		return text
	}
	const head = "QUERY id: 0\n  WITH\n"
	doubling := head + cte("t0", "requests")
	for i := range 7 {
		doubling += cte("t"+string(rune('1'+i)), "t"+string(rune('0'+i)), "t"+string(rune('0'+i)))
	}
	for name, tc := range map[string]struct {
		text string
		fine bool
	}{
		"one":          {"QUERY id: 0\n" + top("requests"), true},
		"named":        {head + cte("a", "requests") + top("a", "a", "a"), true},
		"recursive":    {head + cte("a", "a", "requests") + top("a"), true},
		"each other":   {head + cte("a", "b") + cte("b", "a") + top("a", "b"), true},
		"doubling":     {doubling + top("t7"), false},
		"in part":      {doubling + top("t3"), true},
		"side by side": {"QUERY id: 0\n" + top(strings.Split(strings.Repeat("requests ", maxSelects)+"requests", " ")...), false},
	} {
		if _, err := checkTree(tc.text); (err == nil) != tc.fine {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLineCounter(t *testing.T) {
	for _, tc := range []struct {
		format Format
		text   string
		want   uint64
	}{
		{NDJSON, "{\"a\":\"x\\\"\"}\n{}\n", 2}, {NDJSON, "", 0}, {CSV, "\"a\"\n", 0}, {CSV, "\"a\"\n\"x\ny\"\"\n\"\n3\n", 2}, {JSON, "[\"a\"]\n[\"UInt8\"]\n[1]\n", 1}, {JSON, "[\"a\"]\n", 0},
	} {
		c := newLineCounter(tc.format)
		for _, b := range []byte(tc.text) { // however it is cut
			c.count([]byte{b})
		}
		if c.rows() != tc.want {
			t.Errorf("%s %q: %d rows, want %d", tc.format, tc.text, c.rows(), tc.want)
		}
	}
}

func TestMessages(t *testing.T) {
	for message, want := range map[string]string{
		"Unknown expression identifier `a` in scope SELECT a. (UNKNOWN_IDENTIFIER) (version 26.7.2.1)":                                    "Unknown expression identifier `a` in scope SELECT a. (UNKNOWN_IDENTIFIER)",
		"Syntax error: failed at position 14 (x): x y: In scope SELECT formatQuery('SELECT 1 FRO x y'). (SYNTAX_ERROR)":                   "Syntax error: failed at position 14 (x): x y (SYNTAX_ERROR)",
		"Division by zero: while executing 'FUNCTION intDiv(1 :: 1)': While executing MergeTreeSelect(pool: X). (ILLEGAL_DIVISION)":       "Division by zero (ILLEGAL_DIVISION)",
		"Unknown identifier 'x' inside COLUMNS matcher. In scope Scope node SELECT t.project FROM trackway.requests (UNKNOWN_IDENTIFIER)": "Unknown identifier 'x' inside COLUMNS matcher (UNKNOWN_IDENTIFIER)",
		"plain": "plain",
	} {
		if got := clean(message); got != want {
			t.Errorf("%q\n got %q\nwant %q", message, got, want)
		}
	}
}

func TestConfigNamesTheKey(t *testing.T) {
	var keys []string
	Config{}.Check(func(key, _ string, _ ...any) { keys = append(keys, key) })
	if len(keys) != 9 {
		t.Errorf("wrong in an empty configuration: %v", keys)
	}
	DefaultConfig().Check(func(key, format string, _ ...any) { t.Errorf("default of %s: %s", key, format) })
}
