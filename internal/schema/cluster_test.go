package schema

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

// TestClusterStatements checks what the golden file cannot say: that no statement
// was forgotten.
func TestClusterStatements(t *testing.T) {
	o := Options{CreateDatabase: true, Cluster: "main"}
	stmts, err := Statements(o)
	require.NoError(t, err)
	names := map[string]string{}
	for _, s := range stmts {
		names[s.Name] = s.SQL
		if strings.HasPrefix(s.SQL, "INSERT") {
			continue
		}
		assert.Contains(t, s.SQL, " ON CLUSTER 'main'", s.Name)
		assert.NotContains(t, s.SQL, "non_replicated", s.Name)
		assert.NotRegexp(t, regexp.MustCompile(`ENGINE = \w*MergeTree`), strings.ReplaceAll(s.SQL, "ENGINE = Replicated", ""), s.Name)
	}
	for _, name := range order {
		sql := names[name]
		require.NotEmpty(t, sql, name)
		if !strings.HasPrefix(sql, "CREATE TABLE") {
			continue
		}
		if name == lockTable || name == versionTable {
			assert.Contains(t, sql, everyReplica, "%s is the same on every node", name)
			continue
		}
		assert.Contains(t, sql, shardReplica, name)
		assert.NotEmpty(t, shardKeys[name], "%s: say where its rows go", name)
		assert.Contains(t, names[name+"_distributed"], "CREATE OR REPLACE TABLE trackway."+name+" ON CLUSTER 'main' AS trackway_local."+name)
	}
	assert.NotContains(t, names[traceKeysView], "trackway_local.", "the traces of a key are those of all nodes")
	for name := range shardKeys {
		assert.Contains(t, order, name)
	}
}

func TestClusterNameIsChecked(t *testing.T) {
	_, err := Statements(Options{Cluster: "a' b"})
	require.ErrorContains(t, err, `cluster "a' b"`)
}

// TestEveryStatementParses has the engine parse what only a cluster can execute.
func TestEveryStatementParses(t *testing.T) {
	server := enginetest.Start(t)
	for _, o := range []Options{
		{CreateDatabase: true}, {CreateDatabase: true, Cluster: "main"}, {CreateDatabase: true, Cluster: "main-1.eu", Database: "x", NoTextIndex: true},
	} {
		stmts, err := Statements(o)
		require.NoError(t, err)
		steps, err := Steps(o)
		require.NoError(t, err)
		for _, step := range steps {
			stmts = append(stmts, step.Statements...)
		}
		locks, err := LockStatements(o)
		require.NoError(t, err)
		for _, s := range append(append(stmts, locks...), Distributed(o)...) {
			assert.NotEmpty(t, server.Query(t, "EXPLAIN AST "+s.SQL), s.Name)
		}
	}
}

// TestShardKeys evaluates the keys on the tables they are for: a shard of a row
// is a number, and the same for the records of a trace.
func TestShardKeys(t *testing.T) {
	server := enginetest.Start(t)
	createOn(t, server, Options{})
	for table, key := range shardKeys {
		server.Exec(t, "SELECT "+key+"::UInt64 FROM trackway."+table)
	}
	trace := "toFixedString(unhex('0102030405060708090a0b0c0d0e0f10'), 16)"
	insert := "INSERT INTO trackway.%s (project, ts, rid, trace_id, ttl_days) SELECT 'p', now64(9), number, " + trace + ", 30 FROM numbers(3)"
	for _, table := range []string{"requests", "spans", "events"} {
		server.Exec(t, strings.Replace(insert, "%s", table, 1))
	}
	assert.Equal(t, "1\n", server.Query(t, "SELECT uniqExact(k) FROM (SELECT "+shardKeys["requests"]+" AS k FROM trackway.requests UNION ALL SELECT "+
		shardKeys["spans"]+" FROM trackway.spans UNION ALL SELECT "+shardKeys["events"]+" FROM trackway.events)"))
	server.Exec(t, "INSERT INTO trackway.events (project, ts, rid, ttl_days) SELECT 'p', now64(9), number, 30 FROM numbers(3)")
	assert.Equal(t, "3\n", server.Query(t, "SELECT uniqExact("+shardKeys["events"]+") FROM trackway.events WHERE trace_id = toFixedString('', 16)"))
}
