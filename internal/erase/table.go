package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
)

// Query runs one statement at the store and gives its TabSeparated answer.
type Query func(ctx context.Context, sql string) (string, error)

// table is a table with what matters here about its columns.
type table struct {
	name    string
	columns map[string]string // stored ones, with their types
	texts   []string          // those that can hold text, in their order
}

func (t table) has(columns ...string) bool {
	for _, c := range columns {
		if _, ok := t.columns[c]; !ok {
			return false
		}
	}
	return true
}

// records says whether rows of the table are records of their own, which other
// tables refer to.
func (t table) records() bool { return t.has("project", "ts", "rid", "correlation", "attributes") }

// tables reads which tables a database has.
func tables(ctx context.Context, query Query, o schema.Options) ([]table, error) {
	answer, err := query(ctx, fmt.Sprintf("SELECT table, name, type FROM system.columns WHERE database = '%s' AND default_kind != 'ALIAS' "+
		"AND table IN (SELECT name FROM system.tables WHERE database = '%s' AND engine LIKE '%%MergeTree' AND NOT startsWith(name, '"+helperPrefix+"')) ORDER BY table, position",
		o.LocalDatabase(), o.LocalDatabase()))
	if err != nil {
		return nil, fmt.Errorf("reading the tables of database %s: %w", o.LocalDatabase(), err)
	}
	var out []table
	for _, row := range clickhouse.Rows(strings.TrimSuffix(answer, "\n")) {
		if len(row) != 3 {
			return nil, fmt.Errorf("reading the tables of database %s: want 3 columns, got %q", o.LocalDatabase(), row)
		}
		if len(out) == 0 || out[len(out)-1].name != row[0] {
			out = append(out, table{name: row[0], columns: map[string]string{}})
		}
		t := &out[len(out)-1]
		t.columns[row[1]] = row[2]
		if strings.Contains(strings.ReplaceAll(row[2], "FixedString", ""), "String") {
			t.texts = append(t.texts, row[1])
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("database %s has no tables: is it the right store?", o.LocalDatabase())
	}
	// Records last: rows of other tables are found by them.
	slices.SortStableFunc(out, func(a, b table) int {
		switch {
		case a.records() == b.records():
			return 0
		case b.records():
			return -1
		}
		return 1
	})
	return out, nil
}

// carries is the condition for rows that carry the pair itself; "" for a table
// that has no place for it.
func (t table) carries(s Subject) string {
	key := clickhouse.String(s.Key)
	var or []string
	for _, column := range []string{"correlation", "attributes", "resource"} {
		if strings.HasPrefix(t.columns[column], "Map(") {
			or = append(or, fmt.Sprintf("%s[%s] IN (%s)", column, key, s.values()))
		}
	}
	for _, names := range [][2]string{{"key", "value"}, {"field", "value"}} {
		if t.has(names[0], names[1]) {
			or = append(or, fmt.Sprintf("%s = %s AND %s IN (%s)", names[0], key, names[1], s.values()))
		}
	}
	if t.has("request_id") && s.Key == "request_id" {
		or = append(or, fmt.Sprintf("request_id IN (%s)", s.values()))
	}
	return strings.Join(or, " OR ")
}

// mentions is the condition for rows that have the value in any text.
func (t table) mentions(s Subject) string {
	pattern := clickhouse.String(s.pattern())
	or := make([]string, 0, len(t.texts))
	for _, c := range t.texts {
		or = append(or, textMatches(clickhouse.Identifier(c), t.columns[c], pattern))
	}
	return strings.Join(or, " OR ")
}

// textMatches is the condition for a column whose text has a match. Maps and
// arrays are searched value by value, since their printed form has escapes.
func textMatches(column, kind, pattern string) string {
	switch {
	case strings.HasPrefix(kind, "Map("):
		return fmt.Sprintf("arrayExists(x -> match(toString(x), %s), arrayConcat(mapKeys(%s)::Array(String), mapValues(%s)::Array(String)))", pattern, column, column)
	case strings.HasPrefix(kind, "Array("):
		return fmt.Sprintf("arrayExists(x -> match(toString(x), %s), %s)", pattern, column)
	}
	return fmt.Sprintf("match(toString(%s), %s)", column, pattern)
}
