package schema

import (
	"fmt"
	"regexp"
	"strings"
)

// dedupSeconds is how long a Replicated table remembers an insert token. Units
// that wait on disk while the store is away are sent again after hours.
const dedupSeconds = 7 * 24 * 60 * 60

// Paths of Replicated tables: the uuid is the same on all nodes, since it is given
// out by ON CLUSTER, and no table that is dropped and made again meets the rest of
// the old one. {shard} and {replica} are macros of each node's configuration.
const (
	shardReplica = "'/clickhouse/tables/{uuid}/{shard}', '{replica}'"
	// everyReplica is for tables that are the same on all shards, where the same
	// replica name may occur once per shard.
	everyReplica = "'/clickhouse/tables/{uuid}/all', '{shard}-{replica}'"
)

// byTrace puts a trace on one shard: its records, and its rows of the journey and,
// by the same four bytes, of the trace index. A record without a trace goes by its own
// id.
const byTrace = "if(trace_id = toFixedString('', 16), rid, reinterpretAsUInt32(trace_id))"

// shardKeys say which shard a row goes to when it is inserted through the
// Distributed table. Rollups are sums, so any placement that is a function of the row
// is right; theirs keeps one series on one shard. The key decides which rows of a
// repeated insert meet which deduplication log: it must not be random.
var shardKeys = map[string]string{
	"requests":    byTrace,
	"spans":       byTrace,
	"events":      byTrace,
	"journey":     byTrace,
	"trace_index": "h",
	"lat_m":       "cityHash64(project, service, route)",
	"lat_q":       "cityHash64(project, service, route)",
	"lat_h":       "cityHash64(project, service, route)",
	"cnt_m":       "cityHash64(project, service, route)",
	"cnt_h":       "cityHash64(project, service, route)",
	"facets":      "cityHash64(project, field, value)",

	"delivery_ledger": "cityHash64(project)",

	"dropped_partitions": "cityHash64(table, partition)",
}

var (
	createTable = regexp.MustCompile(`^CREATE (TABLE|VIEW) IF NOT EXISTS (\w+)\.(\w+)`)
	alterTable  = regexp.MustCompile(`^(ALTER TABLE|DROP VIEW IF EXISTS|DROP TABLE IF EXISTS) (\w+)\.(\w+)`)
	engine      = regexp.MustCompile(`(?m)^ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?$`)
)

// OnCluster gives the clause that has every node execute a statement.
func (o Options) OnCluster() string {
	if o.Cluster == "" {
		return ""
	}
	return " ON CLUSTER '" + o.Cluster + "'"
}

// onCluster turns a statement on one server's table into those for a cluster.
// Without a cluster the statement stays as it is.
func onCluster(o Options, s Statement) []Statement {
	if o.Cluster == "" {
		return []Statement{s}
	}
	if createTable.MatchString(s.SQL) {
		s.SQL = createTable.ReplaceAllString(s.SQL, "$0"+o.OnCluster())
	} else {
		s.SQL = alterTable.ReplaceAllString(s.SQL, "$0"+o.OnCluster())
	}
	if own := s.Name == lockTable || s.Name == versionTable || s.Name == traceKeysView; own {
		s.SQL = strings.ReplaceAll(replicated(s.SQL, everyReplica), o.LocalDatabase()+".", o.database()+".")
		return []Statement{s}
	}
	s.SQL = replicated(s.SQL, shardReplica)
	if !strings.HasPrefix(s.SQL, "CREATE TABLE") {
		return []Statement{s}
	}
	return []Statement{s, distributed(o, s.Name)}
}

// replicated gives a table's engine its Replicated form.
func replicated(sql, path string) string {
	return engine.ReplaceAllStringFunc(sql, func(found string) string {
		m := engine.FindStringSubmatch(found)
		if m[2] != "" {
			path += ", " + m[2]
		}
		return "ENGINE = Replicated" + m[1] + "(" + path + ")"
	})
}

// distributed creates the table over all shards that has the plain name. It holds
// no rows, so after a change of the tables below it is made anew.
func distributed(o Options, table string) Statement {
	return Statement{Name: table + "_distributed", SQL: fmt.Sprintf(
		"CREATE OR REPLACE TABLE %s.%s%s AS %s.%s\nENGINE = Distributed('%s', '%s', '%s', %s)",
		o.database(), table, o.OnCluster(), o.LocalDatabase(), table, o.Cluster, o.LocalDatabase(), table, shardKeys[table])}
}

// Distributed gives the statements that make the Distributed tables anew, as after
// a step that changed the tables below them; none without a cluster.
func Distributed(o Options) []Statement {
	if o.Cluster == "" {
		return nil
	}
	var out []Statement
	for _, name := range order {
		if shardKeys[name] != "" {
			out = append(out, distributed(o, name))
		}
	}
	return out
}

// EverywhereEngine is the engine of a small table that has the same rows on every
// node.
func EverywhereEngine(o Options) string {
	if o.Cluster == "" {
		return "MergeTree"
	}
	return "ReplicatedMergeTree(" + everyReplica + ")"
}
