package schema

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the schema these statements create: that of the last
// step under migrations/.
const Version = 5

// DefaultDatabase is the database everything lives in unless configured.
const DefaultDatabase = "trackway"

// DefaultRollupTTLDays is how long rollups are kept, in days, where a record
// does not say otherwise.
const DefaultRollupTTLDays = 400

// dedupWindow is how many insert tokens a table remembers. A unit of insert is retried
// within minutes; at ten inserts a second per table this is a quarter of an hour.
const dedupWindow = 10000

//go:embed sql/*.sql
var files embed.FS

// order lists the statements so that each finds what it refers to: the lock under
// which all the rest is made, tables, the view over one of them, then the table that
// says that the rest is there.
var order = []string{
	lockTable,
	"requests", "spans", "events",
	"journey", "trace_index",
	"lat_m", "lat_q", "lat_h", "cnt_m", "cnt_h", "facets",
	traceKeysView,
	"delivery_ledger", "dropped_partitions",
	versionTable,
}

// Tables that are there for the schema itself. On a cluster every node has the
// same rows in them.
const (
	lockTable    = "schema_lock"
	versionTable = "schema_version"
)

// traceKeysView reads the journey, of all nodes on a cluster.
const traceKeysView = "trace_keys"

// Options says how the statements are rendered. The zero value gives the
// database trackway on an engine that has text indexes.
type Options struct {
	// Database is the database's name; empty means DefaultDatabase.
	Database string
	// CreateDatabase puts CREATE DATABASE IF NOT EXISTS first.
	CreateDatabase bool
	// NoTextIndex takes a bloom filter for facet_items, for servers older than
	// 26.2, which have no stable text index.
	NoTextIndex bool
	// Cluster is the name of a cluster of the server's configuration. With it all
	// tables are Replicated ones in LocalDatabase, and Distributed ones over them
	// have the plain names. Empty means one server.
	Cluster string
}

// LocalDatabase holds a cluster's tables of one node; Database itself where there
// is no cluster.
func (o Options) LocalDatabase() string {
	if o.Cluster == "" {
		return o.database()
	}
	return o.database() + "_local"
}

func (o Options) database() string {
	if o.Database == "" {
		return DefaultDatabase
	}
	return o.Database
}

// Statement is one statement of the schema.
type Statement struct {
	// Name is the table or view, or what the statement does.
	Name string
	// SQL is one statement without a trailing semicolon.
	SQL string
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// clusterName is what a cluster may be called here, since it stands in statements
// as it is.
var clusterName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// ValidDatabase says whether s can be the name of the database: a plain
// identifier, since it stands in statements as it is.
func ValidDatabase(s string) bool { return identifier.MatchString(s) }

// ValidCluster says whether s can be the name of the cluster.
func ValidCluster(s string) bool { return clusterName.MatchString(s) }

func (o Options) validate() error {
	if !ValidDatabase(o.database()) {
		return fmt.Errorf("database %q: want letters, digits and underscores, at most 64", o.Database)
	}
	if o.Cluster != "" && !ValidCluster(o.Cluster) {
		return fmt.Errorf("cluster %q: want letters, digits, '_', '-' and '.', at most 64", o.Cluster)
	}
	return nil
}

// Statements renders the schema in the order it must be executed. The last one
// marks the database with the steps that it needs no more.
func Statements(o Options) ([]Statement, error) {
	steps, err := Steps(o)
	if err != nil {
		return nil, err
	}
	out := make([]Statement, 0, 2*len(order)+1)
	if o.CreateDatabase {
		out = append(out, databases(o)...)
	}
	for _, name := range order {
		stmts, err := create(o, name)
		if err != nil {
			return nil, err
		}
		out = append(out, stmts...)
	}
	return append(out, Mark(o, append([]Step{baseline}, steps...)...)), nil
}

// create renders the statements that create one table or view.
func create(o Options, name string) ([]Statement, error) {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return nil, fmt.Errorf("schema statement %s: %w", name, err)
	}
	sql, err := render(o, name, string(text))
	if err != nil {
		return nil, err
	}
	return onCluster(o, Statement{Name: name, SQL: sql}), nil
}

// LockStatements give what must be there before the lock can be taken: database
// and table.
func LockStatements(o Options) ([]Statement, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	lock, err := create(o, lockTable)
	if err != nil {
		return nil, err
	}
	return append(databases(o), lock...), nil
}

// LockTable is the table of locks (internal/storelock) with its database.
func LockTable(o Options) string { return o.database() + "." + lockTable }

// VersionTable is the table that records steps, with its database.
func VersionTable(o Options) string { return o.database() + "." + versionTable }

// Database is the name of the database that readers know.
func Database(o Options) string { return o.database() }

// databases gives the statements that create the databases.
func databases(o Options) []Statement {
	var out []Statement
	for _, name := range slices.Compact([]string{o.LocalDatabase(), o.database()}) {
		out = append(out, Statement{Name: "database", SQL: "CREATE DATABASE IF NOT EXISTS " + name + o.OnCluster()})
	}
	return out
}

// Create executes the schema's statements one by one through exec, database
// included. It is idempotent, and may be repeated after a failure half way.
func Create(ctx context.Context, o Options, exec func(ctx context.Context, sql string) error) error {
	o.CreateDatabase = true
	stmts, err := Statements(o)
	if err != nil {
		return err
	}
	for _, s := range stmts {
		if err := exec(ctx, s.SQL); err != nil {
			return fmt.Errorf("creating schema, statement %s: %w", s.Name, err)
		}
	}
	return nil
}

// VersionQuery gives the statement that answers, in one row and column, which
// version of the schema a database has: 0 when it is marked with none. It fails
// with UNKNOWN_TABLE or UNKNOWN_DATABASE where there is no schema at all.
func VersionQuery(database string) string {
	return "SELECT max(version) FROM " + VersionTable(Options{Database: database})
}

// HasTextIndex says whether a ClickHouse release, "26.7.2.1", is at least 26.2,
// the first with a stable text index.
func HasTextIndex(release string) bool {
	major, rest, _ := strings.Cut(release, ".")
	minor, _, _ := strings.Cut(rest, ".")
	year, err := strconv.Atoi(major)
	if err != nil {
		return false
	}
	month, err := strconv.Atoi(minor)
	return err == nil && (year > 26 || year == 26 && month >= 2)
}
