package schema

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// Version is the version of the schema these statements create.
const Version = 1

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

// order lists the statements so that each finds what it refers to: tables, then
// the views over them, then the marker, which says that all the rest is there.
var order = []string{
	"requests", "spans", "events",
	"journey", "trace_index",
	"lat_m", "lat_q", "lat_h", "cnt_m", "cnt_h", "facets",
	"v_lat_q", "v_lat_h", "v_cnt_h",
	"v_lat_m", "v_cnt_m", "v_facets",
	"v_journey_requests", "v_journey_spans", "v_journey_events",
	"v_trace_index_requests", "v_trace_index_spans", "v_trace_index_events",
	"schema_version", "schema_version_insert",
}

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
}

// Statement is one statement of the schema.
type Statement struct {
	// Name is the table or view, or what the statement does.
	Name string
	// SQL is one statement without a trailing semicolon.
	SQL string
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// ValidDatabase says whether s can be the name of the database: a plain
// identifier, since it stands in statements as it is.
func ValidDatabase(s string) bool { return identifier.MatchString(s) }

// Statements renders the schema in the order it must be executed.
func Statements(o Options) ([]Statement, error) {
	if o.Database == "" {
		o.Database = DefaultDatabase
	}
	if !ValidDatabase(o.Database) {
		return nil, fmt.Errorf("database %q: want letters, digits and underscores, at most 64", o.Database)
	}
	params := struct {
		DB, FacetIndex, Durable                       string
		RollupTTLDays, Version, BucketLow, BucketHigh int
	}{
		DB:            o.Database,
		FacetIndex:    "text(tokenizer = 'array') GRANULARITY 100000000",
		Durable:       fmt.Sprintf("non_replicated_deduplication_window = %d, fsync_after_insert = 1, fsync_part_directory = 1", dedupWindow),
		RollupTTLDays: DefaultRollupTTLDays,
		Version:       Version,
		BucketLow:     BucketLow,
		BucketHigh:    BucketHigh,
	}
	if o.NoTextIndex {
		params.FacetIndex = "bloom_filter(0.01) GRANULARITY 1"
	}

	out := make([]Statement, 0, len(order)+1)
	if o.CreateDatabase {
		out = append(out, Statement{Name: "database", SQL: "CREATE DATABASE IF NOT EXISTS " + o.Database})
	}
	for _, name := range order {
		text, err := files.ReadFile("sql/" + name + ".sql")
		if err != nil {
			return nil, fmt.Errorf("schema statement %s: %w", name, err)
		}
		t, err := template.New(name).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("schema statement %s: %w", name, err)
		}
		var b strings.Builder
		if err := t.Execute(&b, params); err != nil {
			return nil, fmt.Errorf("schema statement %s: %w", name, err)
		}
		out = append(out, Statement{Name: name, SQL: strings.TrimSpace(b.String())})
	}
	return out, nil
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
	if database == "" {
		database = DefaultDatabase
	}
	return "SELECT max(version) FROM " + database + ".schema_version"
}
