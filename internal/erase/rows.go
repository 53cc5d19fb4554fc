package erase

import (
	"fmt"
	"strings"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
)

// helperPrefix begins the names of tables that hold hashes while rows are deleted.
const helperPrefix = "erasing_"

// statements delete the rows of a condition by their hashes. A server keeps the
// text of a mutation beside the table, so it must not hold what is to be erased.
func (t table) statements(o schema.Options, condition string) []string {
	local, database := o.LocalDatabase(), schema.Database(o)
	helper := database + "." + helperPrefix + t.name
	out := []string{
		fmt.Sprintf("DROP TABLE IF EXISTS %s%s SYNC", helper, o.OnCluster()),
		fmt.Sprintf("CREATE TABLE %s%s (h UInt128) ENGINE = %s ORDER BY h", helper, o.OnCluster(), schema.EverywhereEngine(o)),
		fmt.Sprintf("INSERT INTO %s SELECT DISTINCT %s FROM %s.%s WHERE %s SETTINGS log_queries = 0", helper, t.hash(), database, t.name, condition),
	}
	if o.Cluster != "" {
		out = append(out, fmt.Sprintf("SYSTEM SYNC REPLICA%s %s", o.OnCluster(), helper))
	}
	return append(out,
		fmt.Sprintf("ALTER TABLE %s.%s%s DELETE WHERE %s IN (SELECT h FROM %s) SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1",
			local, t.name, o.OnCluster(), t.hash(), helper),
		fmt.Sprintf("DROP TABLE %s%s SYNC", helper, o.OnCluster()))
}

// hash is the expression that names a row: by the record it belongs to, or where
// there is none, by all its texts.
func (t table) hash() string {
	columns := t.texts
	if t.has("project", "ts", "rid") {
		columns = []string{"project", "ts", "rid"}
		if !t.records() {
			columns = append(columns, t.texts...)
		}
	}
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = "toString(" + clickhouse.Identifier(c) + ")"
	}
	return "reinterpretAsUInt128(sipHash128(" + strings.Join(parts, ", ") + "))"
}
