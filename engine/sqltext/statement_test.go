package sqltext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/sqltext"
)

func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		text, verb, statement, format string
		data                          *string // nil: no rows follow
		complete, insertSelect        bool
	}{
		"select":                       {text: "SELECT 1", verb: "SELECT", statement: "SELECT 1"},
		"semicolon and comment":        {text: " /* a */ select 1 -- b\n ; -- c\n", verb: "SELECT", statement: "select 1"},
		"brackets":                     {text: "(SELECT 1)", verb: "SELECT", statement: "(SELECT 1)"},
		"format":                       {text: "SELECT 1 FORMAT JSON;", verb: "SELECT", statement: "SELECT 1 FORMAT JSON", format: "JSON"},
		"format and settings":          {text: "SELECT 1 FORMAT JSON SETTINGS a = 1", verb: "SELECT", statement: "SELECT 1 FORMAT JSON SETTINGS a = 1", format: "JSON"},
		"a column called format":       {text: "SELECT name, format FROM t", verb: "SELECT", statement: "SELECT name, format FROM t"},
		"the function format":          {text: "SELECT format('{}', a) FROM t", verb: "SELECT", statement: "SELECT format('{}', a) FROM t"},
		"format in a string":           {text: "SELECT ' FORMAT JSON'", verb: "SELECT", statement: "SELECT ' FORMAT JSON'"},
		"format in a heredoc":          {text: "SELECT $x$ ; FORMAT JSON$x$", verb: "SELECT", statement: "SELECT $x$ ; FORMAT JSON$x$"},
		"semicolon in a string":        {text: `SELECT ';', 'a\';', "b;", ` + "`c;`, 'd'';'", verb: "SELECT", statement: `SELECT ';', 'a\';', "b;", ` + "`c;`, 'd'';'"},
		"empty":                        {text: " -- nothing\n", verb: "", statement: ""},
		"insert values":                {text: "INSERT INTO t VALUES (1, 'a;b')", verb: "INSERT", statement: "INSERT INTO t", format: "Values", data: data(" (1, 'a;b')"), complete: true},
		"insert format":                {text: "INSERT INTO t FORMAT CSV\n1,2\n", verb: "INSERT", statement: "INSERT INTO t", format: "CSV", data: data("1,2\n"), complete: true},
		"insert format, data to come":  {text: "INSERT INTO t FORMAT CSV", verb: "INSERT", statement: "INSERT INTO t", format: "CSV", data: data("")},
		"insert format, line break":    {text: "INSERT INTO t FORMAT CSV \r\n\n", verb: "INSERT", statement: "INSERT INTO t", format: "CSV", data: data("\n"), complete: true},
		"insert format, same line":     {text: `INSERT INTO t FORMAT JSONEachRow {"a":1}`, verb: "INSERT", statement: "INSERT INTO t", format: "JSONEachRow", data: data(`{"a":1}`), complete: true},
		"insert, lone semicolon":       {text: "INSERT INTO t FORMAT CSV; ", verb: "INSERT", statement: "INSERT INTO t", format: "CSV", data: data("")},
		"insert columns and settings":  {text: "INSERT INTO db.t (a, `b c`) SETTINGS async_insert=1, x='FORMAT' FORMAT Native\n\x00\xff", verb: "INSERT", statement: "INSERT INTO db.t (a, `b c`) SETTINGS async_insert=1, x='FORMAT'", format: "Native", data: data("\x00\xff"), complete: true},
		"insert, column values":        {text: "INSERT INTO t (values, format) VALUES (1, 2)", verb: "INSERT", statement: "INSERT INTO t (values, format)", format: "Values", data: data(" (1, 2)"), complete: true},
		"insert into a table values":   {text: "INSERT INTO values VALUES (1)", verb: "INSERT", statement: "INSERT INTO values", format: "Values", data: data(" (1)"), complete: true},
		"insert into db.format":        {text: "INSERT INTO db.format FORMAT CSV\n1", verb: "INSERT", statement: "INSERT INTO db.format", format: "CSV", data: data("1"), complete: true},
		"insert comment before data":   {text: "INSERT INTO t -- FORMAT TSV\nFORMAT CSV\n1", verb: "INSERT", statement: "INSERT INTO t", format: "CSV", data: data("1"), complete: true},
		"insert from values":           {text: "INSERT INTO t (a) SELECT a FROM values('a UInt8', (1), (2))", verb: "INSERT", statement: "INSERT INTO t (a) SELECT a FROM values('a UInt8', (1), (2))", insertSelect: true},
		"insert into a function":       {text: "INSERT INTO FUNCTION file('x', CSV) VALUES (1)", verb: "INSERT", statement: "INSERT INTO FUNCTION file('x', CSV)", format: "Values", data: data(" (1)"), complete: true},
		"insert select":                {text: "INSERT INTO t SELECT 1;", verb: "INSERT", statement: "INSERT INTO t SELECT 1", insertSelect: true},
		"insert with":                  {text: "INSERT INTO t (a) WITH 1 AS x SELECT x", verb: "INSERT", statement: "INSERT INTO t (a) WITH 1 AS x SELECT x", insertSelect: true},
		"insert bracketed select":      {text: "INSERT INTO t (SELECT 1)", verb: "INSERT", statement: "INSERT INTO t (SELECT 1)", insertSelect: true},
		"insert select from input":     {text: "INSERT INTO t SELECT a FROM input('a UInt8') FORMAT CSV\n1", verb: "INSERT", statement: "INSERT INTO t SELECT a FROM input('a UInt8')", format: "CSV", data: data("1"), complete: true, insertSelect: true},
		"data that looks like a query": {text: "INSERT INTO t FORMAT TSV\n; SELECT 1 -- '\n", verb: "INSERT", statement: "INSERT INTO t", format: "TSV", data: data("; SELECT 1 -- '\n"), complete: true},
		"broken quote":                 {text: "SELECT 'a", verb: "SELECT", statement: "SELECT 'a"},
		"broken comment":               {text: "SELECT 1 /* a", verb: "SELECT", statement: "SELECT 1 /* a"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sqltext.Parse(test.text)
			require.NoError(t, err)
			require.Equal(t, test.verb, got.Verb)
			require.Equal(t, test.statement, got.Text)
			require.Equal(t, test.format, got.Format)
			require.Equal(t, test.complete, got.Complete)
			require.Equal(t, test.insertSelect, got.InsertSelect)
			require.Equal(t, test.data != nil, got.HasData)
			if test.data != nil {
				require.Equal(t, *test.data, test.text[got.DataStart:])
			}
		})
	}
}

func data(s string) *string { return &s }

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]error{
		"SELECT 1; SELECT 2":              sqltext.ErrMultipleStatements,
		"DROP TABLE a;; DROP TABLE b":     sqltext.ErrMultipleStatements,
		"INSERT INTO t SELECT 1; SELECT":  sqltext.ErrMultipleStatements,
		"INSERT INTO t FORMAT CSV; 1,2\n": sqltext.ErrSemicolonBeforeData,
	} {
		_, err := sqltext.Parse(text)
		require.ErrorIs(t, err, want, text)
	}
}

func TestEditing(t *testing.T) {
	parse := func(text string) sqltext.Statement {
		statement, err := sqltext.Parse(text)
		require.NoError(t, err)
		return statement
	}
	require.Equal(t, "SELECT 1 X FORMAT JSON SETTINGS a = 1", parse("SELECT 1 FORMAT JSON SETTINGS a = 1").WithClause("X", "TSV"))
	require.Equal(t, "SELECT 1 X FORMAT TSV", parse("SELECT 1 ; -- end").WithClause("X", "TSV"))
	require.Equal(t, "KILL QUERY WHERE (e) = 'query_id' AND t.query_id = 1", parse("KILL QUERY WHERE query_id = 'query_id' AND t.query_id = 1").ReplaceName("query_id", "(e)").Text)

	edited := parse("SELECT 'system.processes' FROM system.processes p JOIN System . Processes q USING x FORMAT JSON").ReplaceTable("system", "processes", "(…)")
	require.Equal(t, "SELECT 'system.processes' FROM (…) p JOIN (…) q USING x FORMAT JSON", edited.Text)
	require.Equal(t, "SELECT 'system.processes' FROM (…) p JOIN (…) q USING x OUT FORMAT JSON", edited.WithClause("OUT", ""))
	require.Equal(t, "SHOW CREATE TABLE system.processes", parse("SHOW CREATE TABLE system.processes").ReplaceTable("system", "processes", "(…)").Text)

	structure, called, found := parse("INSERT INTO t SELECT input FROM input ('a Enum8(\\'x\\' = 1)') FORMAT CSV").ReplaceInput("rows")
	require.True(t, found)
	require.Equal(t, "a Enum8('x' = 1)", structure)
	require.Equal(t, "INSERT INTO t SELECT input FROM rows", called.Text)
	_, _, found = parse("INSERT INTO t SELECT 'input(' FROM s").ReplaceInput("rows")
	require.False(t, found)
}

// FuzzParse holds Parse to what its callers rely on: offsets inside the text, and
// a cut that does not depend on what follows once it is complete.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"SELECT 1 FORMAT JSON", "INSERT INTO t (a, b) SETTINGS x = 'y' FORMAT CSV\n1,2", "INSERT INTO t VALUES (1); SELECT",
		"INSERT INTO t SELECT * FROM input('a Int8') FORMAT TSV\n1", "/* ' */ SELECT $a$ ; $a$; --", "INSERT INTO `t``'` FORMAT Native\r\n\x00;",
	} {
		f.Add(seed, ";\x00' FORMAT X\n")
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		got, err := sqltext.Parse(text)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(got.Text), len(text))
		if got.HasData {
			require.GreaterOrEqual(t, got.DataStart, 0)
			require.LessOrEqual(t, got.DataStart, len(text))
		}
		_ = got.WithClause("INTO OUTFILE 'x'", "TSV")
		_ = got.ReplaceName("query_id", "x").WithClause("INTO OUTFILE 'x'", "TSV")
		_ = got.ReplaceTable("system", "processes", "()").WithClause("INTO OUTFILE 'x'", "TSV")
		if !got.Complete {
			return
		}
		again, err := sqltext.Parse(text + more)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}
