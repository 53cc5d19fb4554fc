package sqlmode

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trackwayhq/trackway/internal/golden"
)

// roleScript is what a ClickHouse server is told, so that statements run as a user who
// can read the tables of the views and in them the rows of one project.
func roleScript() string {
	var tables []string
	for _, v := range Views {
		if name := "trackway." + v.table; !slices.Contains(tables, name) {
			tables = append(tables, name)
		}
	}
	var b strings.Builder
	b.WriteString(`-- The user that statements of SQL mode run as on a ClickHouse server. The query server
-- is told by sql.username and sql.password, and sends the project as a setting; the
-- prefix SQL_ must be among custom_settings_prefixes of the server's configuration.
-- On a cluster, add ON CLUSTER to each statement, and repeat grants and policies for
-- the tables of trackway_local.
`)
	statement := func(format string, args ...any) { fmt.Fprintf(&b, format+";\n", args...) }
	statement("CREATE ROLE IF NOT EXISTS trackway_sql")
	for _, table := range tables {
		statement("GRANT SELECT ON %s TO trackway_sql", table)
	}
	b.WriteString("-- Without the setting, reading fails. Users without a policy go on to see all rows.\n")
	statement("CREATE ROW POLICY IF NOT EXISTS trackway_sql ON %s FOR SELECT USING project = getSetting('SQL_trackway_project') TO trackway_sql", strings.Join(tables, ", "))
	statement("CREATE QUOTA IF NOT EXISTS trackway_sql KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 100000, errors = 10000, read_bytes = 10995116277760, execution_time = 36000 TO trackway_sql")
	statement("CREATE SETTINGS PROFILE IF NOT EXISTS trackway_sql SETTINGS max_memory_usage = 1073741824 MAX 4294967296, max_execution_time = 30 MAX 300, allow_ddl = 0 TO trackway_sql")
	b.WriteString("-- Set the password here and in sql.password.\n")
	statement("CREATE USER IF NOT EXISTS trackway_sql IDENTIFIED WITH sha256_password BY 'change me' DEFAULT ROLE trackway_sql SETTINGS PROFILE 'trackway_sql'")
	return b.String()
}

// The script has the tables of today's views, and the engine can read it.
func TestRoleScript(t *testing.T) {
	golden.Equal(t, "../../scripts/sql-role.sql", roleScript())
	r := testTables(t)
	for statement := range strings.SplitSeq(roleScript(), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := r.compiler.ask(t.Context(), "test", "SELECT formatQuerySingleLine({text:String})", map[string]string{"text": statement}); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// With a user of their own, statements say whose rows they may see.
func TestProjectSetting(t *testing.T) {
	for username, want := range map[string]string{"": "", "trackway_sql": "'shop'"} {
		c := DefaultConfig()
		c.Username = username
		r := &Runner{compiler: &Compiler{Database: "trackway"}, config: c}
		if got := r.settings("shop", c.limits(JSON))["SQL_trackway_project"]; got != want {
			t.Errorf("as %q: %q, want %q", username, got, want)
		}
	}
}
