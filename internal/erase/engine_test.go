package erase

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/keyedhash"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/schema/migrate"
)

// value has what SQL, RE2, URLs and JSON escape.
const value = `o'neil+"x\"@example.com`

func newStore(t *testing.T) (*enginetest.Server, Query) {
	t.Helper()
	server := enginetest.Start(t)
	query := (&clickhouse.Client{URL: server.URL, User: server.User, Password: server.Password}).Query
	_, err := migrate.Apply(t.Context(), query, schema.Options{}, nil)
	require.NoError(t, err)
	return server, query
}

func found(t *testing.T, query Query, s Subject) map[string][]string {
	t.Helper()
	searched, err := Prove(t.Context(), query, s, schema.Options{})
	require.NoError(t, err)
	out := map[string][]string{}
	for _, r := range searched {
		if r.Found > 0 {
			out[r.Table] = r.Where
		}
	}
	return out
}

func TestAPersonIsErasedAndNobodyElse(t *testing.T) {
	server, query := newStore(t)
	hashed := keyedhash.New([]byte("0123456789abcdef")).Hash(value)
	s := Subject{Project: "p", Key: "user_id", Values: []string{value, hashed}}
	literal := clickhouse.String(value)
	for _, table := range []string{"requests", "spans", "events"} {
		insert := "INSERT INTO trackway." + table + " (project, ts, rid, correlation, attributes, facet_items, ttl_days) VALUES "
		server.Exec(t, insert+strings.Join([]string{
			fmt.Sprintf("('p', now64(9), 1, map('user_id', %s, 'order_id', 'o_1'), map(), [], 30)", literal),
			fmt.Sprintf("('p', now64(9), 2, map('user_id', '%s'), map(), [], 30)", hashed),
			fmt.Sprintf("('p', now64(9), 3, map(), map('user_id', %s), [%s], 30)", literal, clickhouse.String("user_id="+value)),
			fmt.Sprintf("('p', now64(9), 4, map('user_id', %s), map(), [], 30)", clickhouse.String(value+"m")),
			fmt.Sprintf("('other', now64(9), 5, map('user_id', %s), map(), [], 30)", literal),
		}, ", "))
	}
	// Views or the exporter fill these; the test depends on neither.
	server.Exec(t, `INSERT INTO trackway.journey (project, key, value, ts, rid, ttl_days)
		SELECT project, kv.1, kv.2, ts, rid, ttl_days FROM (SELECT project, ts, rid, ttl_days, arrayJoin(correlation::Array(Tuple(String, String))) AS kv FROM trackway.requests)
		WHERE (project, ts, rid) NOT IN (SELECT project, ts, rid FROM trackway.journey)`)
	server.Exec(t, "INSERT INTO trackway.facets (project, hour, field, value, cnt, ttl_days) VALUES ('p', now(), 'user_id', "+literal+", 1, 400), ('p', now(), 'plan', 'pro', 1, 400)")

	before := found(t, query, s)
	for _, table := range []string{"requests", "spans", "events", "journey", "facets"} {
		assert.Contains(t, before, table)
	}
	assert.Equal(t, []string{"attributes", "correlation", "facet_items"}, before["requests"])
	others := server.Query(t, "SELECT count() FROM trackway.journey WHERE project = 'other' OR rid = 4")

	plan, err := Plan(t.Context(), query, s, Options{})
	require.NoError(t, err)
	assert.Equal(t, before, found(t, query, s), "a plan changes nothing")
	var told []string
	require.NoError(t, Apply(t.Context(), query, plan, func(d Deletion) { told = append(told, d.Table) }))
	assert.Subset(t, told, []string{"journey", "facets", "requests", "spans", "events"})
	assert.Empty(t, found(t, query, s))

	for _, table := range []string{"requests", "spans", "events"} {
		assert.Equal(t, "4\n5\n", server.Query(t, "SELECT rid FROM trackway."+table+" ORDER BY rid"), "others' records of %s stay", table)
	}
	assert.Equal(t, "0\n", server.Query(t, "SELECT count() FROM trackway.journey WHERE value = 'o_1'"), "journey rows under other keys go too")
	assert.Equal(t, others, server.Query(t, "SELECT count() FROM trackway.journey"))
	assert.Equal(t, "plan\n", server.Query(t, "SELECT DISTINCT field FROM trackway.facets WHERE field = 'plan' OR field = 'user_id' AND value = "+literal+" AND project = 'p'"))
	assert.NotEmpty(t, found(t, query, Subject{Key: "user_id", Values: []string{value}}), "the other project's are found without its name")

	plan, err = Plan(t.Context(), query, s, Options{})
	require.NoError(t, err)
	for _, d := range plan {
		assert.Zero(t, d.Rows, "again: %s", d.Table)
	}
}

func TestMentions(t *testing.T) {
	server, query := newStore(t)
	s := Subject{Key: "user_id", Values: []string{"u_42"}}
	server.Exec(t, `INSERT INTO trackway.requests (project, ts, rid, path, error_message, attributes, ttl_days) VALUES
		('p', now64(9), 1, '/users/u_42/cart', '', map(), 30), ('p', now64(9), 2, '', 'no cart for "u_42"', map(), 30),
		('p', now64(9), 3, '', '', map('sql', 'id = ''u_42'''), 30), ('p', now64(9), 4, '/users/u_421', '', map(), 30)`)
	plan, err := Plan(t.Context(), query, s, Options{})
	require.NoError(t, err)
	for _, d := range plan {
		assert.Zero(t, d.Rows, d.Table)
	}
	assert.Equal(t, map[string][]string{"requests": {"path", "error_message", "attributes"}}, found(t, query, s), "what is not erased is told")
	plan, err = Plan(t.Context(), query, s, Options{Mentions: true})
	require.NoError(t, err)
	require.NoError(t, Apply(t.Context(), query, plan, nil))
	assert.Empty(t, found(t, query, s))
	assert.Equal(t, "4\n", server.Query(t, "SELECT rid FROM trackway.requests"))
}

// TestProofSeesMarkedRows has a row that is only marked as deleted, as lightweight
// deletes leave it: its text is still there.
func TestProofSeesMarkedRows(t *testing.T) {
	server, query := newStore(t)
	server.Exec(t, "INSERT INTO trackway.events (project, ts, rid, message, ttl_days) SELECT 'p', now64(9), number, concat('of u_42 ', toString(number)), 30 FROM numbers(10)")
	server.Exec(t, "DELETE FROM trackway.events WHERE rid < 9")
	assert.Equal(t, "1\n", server.Query(t, "SELECT count() FROM trackway.events"))
	searched, err := Prove(t.Context(), query, Subject{Key: "user_id", Values: []string{"u_42"}}, schema.Options{})
	require.NoError(t, err)
	for _, r := range searched {
		if r.Table == "events" {
			assert.Equal(t, uint64(10), r.Found)
		}
	}
}

func TestClusterStatementsParse(t *testing.T) {
	server := enginetest.Start(t)
	query := (&clickhouse.Client{URL: server.URL, User: server.User, Password: server.Password}).Query
	_, err := migrate.Apply(t.Context(), query, schema.Options{Database: "x_local"}, nil)
	require.NoError(t, err)
	plan, err := Plan(t.Context(), query, Subject{Project: "p", Key: "user_id", Values: []string{value}},
		Options{Schema: schema.Options{Database: "x", Cluster: "main"}, Mentions: true})
	require.NoError(t, err)
	require.NotEmpty(t, plan)
	for _, d := range plan {
		for _, sql := range d.Statements {
			if !strings.HasPrefix(sql, "INSERT") {
				assert.Contains(t, sql, "ON CLUSTER 'main'")
				assert.NotContains(t, sql, "neil", "the server keeps the text of its mutations")
			}
			server.Exec(t, "EXPLAIN AST "+sql)
		}
	}
}
