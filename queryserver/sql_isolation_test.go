package queryserver

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
	"github.com/trackwayhq/trackway/queryserver/sqlmode"
)

const (
	// canary is in a file of the machine.
	canary = "CANARY-of-a-file"
	// foreign is in the text of a statement that runs meanwhile.
	foreign = "FOREIGN-statement"
)

// besieged is a store that hostile statements are sent to: with another project's
// records beside those of default, a file that can be read, and somebody else's
// statement running.
type besieged struct {
	*testStore
	file  string
	words *strings.Replacer
}

func newBesieged(t *testing.T) *besieged {
	t.Helper()
	s := newSQLStore(t)
	b := &besieged{testStore: s, file: filepath.Join(t.TempDir(), "canary.csv")}
	if err := os.WriteFile(b.file, []byte(canary+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.words = strings.NewReplacer("$DB", s.database, "$FILE", b.file)
	for _, sql := range []string{
		"CREATE TABLE $DB.merged AS $DB.requests ENGINE = Merge('$DB', '^requests$')",
		"CREATE TABLE $DB.buffer AS $DB.requests ENGINE = Buffer('$DB', 'requests', 1, 10, 100, 1000, 10000, 100000, 1000000)",
		"CREATE VIEW $DB.seen AS SELECT * FROM $DB.requests",
		"CREATE TABLE $DB.keyed (k String, v String) ENGINE = Join(ANY, LEFT, k)",
		"INSERT INTO $DB.keyed VALUES ('a', '" + secret + "')",
		"CREATE DICTIONARY $DB.book (k UInt64, v String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS k, ''" + secret + "'' AS v')) LAYOUT(FLAT()) LIFETIME(0)",
		"CREATE FUNCTION IF NOT EXISTS spy_$DB AS (x) -> concat(x, '" + secret + "')",
	} {
		if err := s.post("", b.words.Replace(sql), nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		for ctx.Err() == nil {
			_, err := s.client.Select(ctx, clickhouse.Query{Name: "foreign", SQL: "SELECT sleepEachRow(0.2) FROM numbers(20) WHERE '" + foreign + "' != ''", Settings: map[string]string{"max_block_size": "1"}}, func(r *clickhouse.Reader) { r.Uint8() })
			if err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		wait.Wait()
		if err := s.post("", b.words.Replace("DROP FUNCTION IF EXISTS spy_$DB"), nil); err != nil {
			t.Error(err)
		}
	})
	return b
}

// try sends a statement and fails the test when the answer holds what it must not.
func (b *besieged) try(statement string, change ...func(*SQLRequest)) (int, string) {
	statement = b.words.Replace(statement)
	status, body := b.sql(statement, change...)
	for _, word := range []string{secret, canary, foreign} {
		if strings.Contains(body, word) {
			b.t.Errorf("%s came out by %s: %.500s", word, statement, body)
		}
	}
	if status >= 500 && status != http.StatusGatewayTimeout {
		b.t.Errorf("%s: %d: %.500s", statement, status, body)
	}
	return status, body
}

// each calls f for every item, some at a time.
func each[T any](items []T, f func(T)) {
	var wait sync.WaitGroup
	next := make(chan T)
	for range 4 {
		wait.Go(func() {
			for item := range next {
				f(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wait.Wait()
}

// names reads a column of names from the engine itself.
func (b *besieged) names(sql string) []string {
	b.t.Helper()
	var names []string
	if _, err := b.client.Select(b.t.Context(), clickhouse.Query{Name: "names", SQL: sql}, func(r *clickhouse.Reader) { names = append(names, r.String()) }); err != nil {
		b.t.Fatal(err)
	}
	return names
}

// Every function the engine has is called in every position a call can stand in. What
// is not on the list is refused; what is on it tells nothing of anybody else.
func TestSQLIsolationEveryFunction(t *testing.T) {
	b := newBesieged(t)
	positions := []string{
		"SELECT %s('$FILE')",
		"SELECT %s()",
		"SELECT %s(status, 1) FROM requests",
		"SELECT count() FROM requests WHERE %s('system', 'processes', 'query') != ''",
		"SELECT 1 FROM requests ORDER BY %s(path) LIMIT 1",
		"SELECT arrayMap(x -> %s(x), ['max_threads', '$FILE'])",
		"WITH q AS (SELECT %s('$DB.keyed', 'v', 'a') AS z) SELECT * FROM q",
		"SELECT * FROM requests r JOIN spans s ON r.trace_id = s.trace_id AND %s('$FILE') = s.name",
		"SELECT * APPLY(%s) FROM requests LIMIT 1",
		"SELECT %s('a')(path) OVER () FROM requests",
		"SELECT * FROM numbers(toUInt64(%s('1')))",
		"SELECT groupArrayIf(1, %s('$DB.book', 'v', 1) = '')",
		"SELECT * FROM %s('$FILE')",
	}
	functions := b.names("SELECT name FROM system.functions")
	if len(functions) < 1500 {
		t.Fatalf("the engine has %d functions only", len(functions))
	}
	listed := map[string]bool{}
	for _, f := range sqlmode.Functions {
		listed[strings.ToLower(f.Name)] = true
	}
	for _, dangerous := range []string{"file", "getSetting", "dictGet", "joinGet", "currentUser", "hostName", "sleep", "throwIf", "getMacro", "runningAccumulate", "arrayReduce", "formatRow", "hasColumnInTable", "catboostEvaluate", "version", "uptime", "queryID", "indexHint", "getSubcolumn", "showCertificate", "initializeAggregation", "spy_" + b.database} {
		if listed[strings.ToLower(dangerous)] {
			t.Errorf("%s is on the list", dangerous)
		}
		if !slices.Contains(functions, dangerous) {
			t.Errorf("the engine has no %s: this test looks for the wrong name", dangerous)
		}
	}
	var statements []string
	denied := map[string]bool{}
	for i, f := range functions {
		listed := listed[strings.ToLower(f)]
		// Each function is called plainly and in some of the other positions; all
		// positions come up over and over.
		tries := []int{0, 1 + i%(len(positions)-1), 1 + (i*7+3)%(len(positions)-1)}
		if listed { // what it may do does not depend on where it stands
			tries = []int{i % 5}
		}
		slices.Sort(tries)
		for _, at := range slices.Compact(tries) {
			statement := fmt.Sprintf(positions[at], "`"+f+"`")
			denied[statement] = !listed
			statements = append(statements, statement)
		}
	}
	each(statements, func(statement string) {
		status, body := b.try(statement)
		if denied[statement] && status != http.StatusBadRequest {
			t.Errorf("%s: %d: %.300s", statement, status, body)
		}
	})
	t.Logf("%d functions, %d on the list, %d statements", len(functions), len(listed), len(statements))
}

// Every table function is tried in the positions of a table, with arguments that
// would lead somewhere.
func TestSQLIsolationEveryTableFunction(t *testing.T) {
	b := newBesieged(t)
	positions := []string{
		"SELECT * FROM %s()", "SELECT * FROM %s('$FILE')", "SELECT * FROM %s('$FILE', 'CSV', 'x String')",
		"SELECT * FROM %s('$DB', 'requests')", "SELECT * FROM %s($DB.requests)", "SELECT * FROM %s('127.0.0.1', '$DB.requests')",
		"SELECT * FROM %s((SELECT * FROM $DB.requests))", "SELECT * FROM %s(SELECT * FROM $DB.requests)",
		"SELECT * FROM requests AS r LEFT JOIN %s('$DB', '^requests$') AS t ON 1",
		"SELECT 1 WHERE 'a' IN (SELECT * FROM %s('$FILE'))", "WITH q AS (SELECT * FROM %s('$FILE')) SELECT * FROM q",
		"SELECT 'a' IN %s('$FILE')", "SELECT (SELECT * FROM %s('$DB', 'requests') LIMIT 1)", "SELECT 1 UNION ALL SELECT * FROM %s('$FILE')",
		"SELECT * FROM numbers((SELECT count() FROM %s('$FILE')))", "SELECT * FROM values('x String', (SELECT * FROM %s('$FILE')))",
	}
	functions := b.names("SELECT name FROM system.table_functions")
	if len(functions) < 60 {
		t.Fatalf("the engine has %d table functions only", len(functions))
	}
	var statements []string
	for i, f := range functions {
		for j, p := range positions {
			if j < 4 || (i+j)%3 == 0 { // plainly, and in a third of the other positions
				statements = append(statements, fmt.Sprintf(p, f))
			}
		}
	}
	each(statements, func(statement string) {
		if status, body := b.try(statement); status != http.StatusBadRequest && !strings.Contains(statement, "numbers(") {
			t.Errorf("%s: %d: %.300s", statement, status, body)
		}
	})
}
