package sqlmode

import (
	"strings"
	"testing"
)

// The list of functions and the engine agree: every name on it is a function's, none
// differs from one that is not by case alone, and nothing we name has a name that
// statements may not write.
func TestFunctionsOfTheEngine(t *testing.T) {
	r := testTables(t)
	text, err := r.compiler.ask(t.Context(), "test", "SELECT name FROM system.functions", nil)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, f := range Functions {
		if listed[f.Name] {
			t.Errorf("%s is listed twice", f.Name)
		}
		listed[f.Name] = true
	}
	there, spellings := map[string]bool{}, map[string]string{}
	for name := range strings.Lines(text) {
		name = strings.TrimSpace(name)
		there[name] = true
		other, known := spellings[strings.ToLower(name)]
		if known && listed[other] != listed[name] {
			t.Errorf("%s and %s differ by case alone, and one of them is listed", name, other)
		}
		spellings[strings.ToLower(name)] = name
	}
	for name := range listed {
		if !there[name] {
			t.Errorf("%s is listed, and the engine has no such function", name)
		}
	}
	withheld, err := r.compiler.withheld(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, must := range []string{"file", "user", "getsetting", "hostname", "dictget", "sleep"} {
		if !withheld[must] {
			t.Errorf("%s is not withheld", must)
		}
	}
	for _, v := range Views {
		if withheld[v.Name] {
			t.Errorf("the view %s has the name of a function that is withheld", v.Name)
		}
		for _, c := range v.Columns {
			if withheld[c.Name] {
				t.Errorf("the column %s of %s has the name of a function that is withheld", c.Name, v.Name)
			}
		}
	}
}

// What the engine runs is the statement that was checked, whatever stands in texts.
func TestCompiledStatement(t *testing.T) {
	r := testTables(t)
	sql, err := r.compiler.Compile(t.Context(), "WITH a AS (SELECT 'x') /* ' */ SELECT `b c` FROM (SELECT '`) FROM --' AS `b c`) -- )")
	if err != nil {
		t.Fatal(err)
	}
	views, statement, found := strings.Cut(sql, "\nSELECT * FROM (")
	if !found || statement != "WITH a AS (SELECT 'x') SELECT `b c` FROM (SELECT '`) FROM --' AS `b c`))" {
		t.Errorf("statement %q", statement)
	}
	if n := strings.Count(views, "PREWHERE t.project = {trackway_project:String}"); n != len(Views) || !strings.HasSuffix(views, "`a` AS (SELECT throwIf(1, 'a common table expression is used where it is not defined'))") {
		t.Errorf("views %s", views)
	}
}
