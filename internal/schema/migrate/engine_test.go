package migrate_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/schema/migrate"
)

//go:embed testdata/version_1.sql
var version1 string

//go:embed testdata/version_1_rows.sql
var version1Rows string

func clientOf(server *enginetest.Server) *clickhouse.Client {
	return &clickhouse.Client{URL: server.URL, User: server.User, Password: server.Password}
}

// script runs the statements of a file in a database.
func script(t *testing.T, server *enginetest.Server, database, text string) {
	t.Helper()
	for statement := range strings.SplitSeq(text, ";\n") {
		var lines []string
		for line := range strings.SplitSeq(statement, "\n") {
			if !strings.HasPrefix(line, "--") {
				lines = append(lines, line)
			}
		}
		if statement = strings.TrimSpace(strings.Join(lines, "\n")); statement != "" {
			statement = strings.ReplaceAll(statement, "trackway.", database+".")
			server.Exec(t, strings.ReplaceAll(statement, "EXISTS trackway", "EXISTS "+database))
		}
	}
}

// structure gives all that a database is made of, by name.
func structure(t *testing.T, server *enginetest.Server, database string) map[string]string {
	t.Helper()
	out := map[string]string{}
	answer := server.Query(t, "SELECT name, create_table_query FROM system.tables WHERE database = '"+database+"'")
	for _, row := range clickhouse.Rows(strings.TrimSuffix(answer, "\n")) {
		out[row[0]] = sortedSettings(strings.ReplaceAll(row[1], database+".", ""))
	}
	return out
}

// sortedSettings puts a table's settings in order: one that was added stands behind
// the others.
func sortedSettings(sql string) string {
	head, settings, found := strings.Cut(sql, " SETTINGS ")
	if !found {
		return sql
	}
	list := strings.Split(settings, ", ")
	slices.Sort(list)
	return head + " SETTINGS " + strings.Join(list, ", ")
}

// figures sums up what the tables hold, so that two stores can be compared.
func figures(t *testing.T, server *enginetest.Server, database string) string {
	t.Helper()
	var out strings.Builder
	for _, q := range []string{
		"SELECT 'requests', count(), sum(cityHash64(* EXCEPT (duration_ms))) FROM %s.requests",
		"SELECT 'spans', count(), sum(cityHash64(* EXCEPT (duration_ms))) FROM %s.spans",
		"SELECT 'events', count(), sum(cityHash64(*)) FROM %s.events",
		"SELECT 'journey', count(), sum(cityHash64(project, key, value, ts, kind, rid, service, name, status)) FROM %s.journey",
		"SELECT 'trace_index', count(), sum(cityHash64(project, h, minute)) FROM (SELECT DISTINCT project, h, minute FROM %s.trace_index)",
		"SELECT 'lat', sum(cnt), sum(weight), sum(b * cnt) FROM %s.lat_m",
		"SELECT 'lat_h', sum(cnt), sum(weight), sum(b * cnt) FROM %s.lat_h",
		"SELECT 'cnt', sum(cnt), sum(weight), sum(bytes), sum(dur_ns) FROM %s.cnt_m",
		"SELECT 'cnt_h', sum(cnt), sum(weight), sum(bytes), sum(dur_ns) FROM %s.cnt_h",
		"SELECT 'facets', sum(cnt), sum(weight) FROM %s.facets",
	} {
		out.WriteString(server.Query(t, fmt.Sprintf(q, database)))
	}
	return out.String()
}

func TestUpgradeFromTheFirstRelease(t *testing.T) {
	server := enginetest.Start(t)
	query := clientOf(server).Query
	_, err := migrate.Apply(t.Context(), query, schema.Options{Database: "fresh"}, nil)
	require.NoError(t, err)
	want := structure(t, server, "fresh")
	script(t, server, "trackway", version1)
	script(t, server, "trackway", version1Rows)
	kept := figures(t, server, "trackway")
	require.Contains(t, kept, "requests\t2000\t")

	plan, err := migrate.Make(t.Context(), query, schema.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1, plan.Have)
	assert.Equal(t, schema.Version, plan.Want)
	require.False(t, plan.UpToDate())
	assert.Equal(t, kept, figures(t, server, "trackway"), "a plan changes nothing")

	done, err := migrate.Apply(t.Context(), query, schema.Options{}, nil)
	require.NoError(t, err)
	assert.Equal(t, plan, done, "what was done is what was planned")
	assert.Equal(t, want, structure(t, server, "trackway"), "an upgraded store is as one that was made new")
	assert.Equal(t, kept, figures(t, server, "trackway"), "the data is kept")

	done, err = migrate.Apply(t.Context(), query, schema.Options{}, nil)
	require.NoError(t, err)
	assert.True(t, done.UpToDate())
	assert.Equal(t, schema.Version, done.Have)

	// A step may stop behind any of its statements: each run comes one further than
	// the one before, through all that that one has done already.
	script(t, server, "stops", version1)
	script(t, server, "stops", version1Rows)
	stops := 0
	for ; ; stops++ {
		sent := 0
		_, err := migrate.Apply(t.Context(), func(ctx context.Context, sql string) (string, error) {
			if strings.Contains(sql, "schema_lock") || strings.HasPrefix(sql, "SELECT") || strings.HasPrefix(sql, "CREATE DATABASE") {
				return query(ctx, sql)
			}
			if sent++; sent > stops {
				return "", errDied
			}
			return query(ctx, sql)
		}, schema.Options{Database: "stops"}, nil)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errDied)
	}
	assert.Greater(t, stops, 10)
	assert.Equal(t, want, structure(t, server, "stops"))
	assert.Equal(t, kept, figures(t, server, "stops"))
}

var errDied = errors.New("the process died here")

func TestManyStartAtOnce(t *testing.T) {
	server := enginetest.Start(t)
	query := clientOf(server).Query
	script(t, server, "old", version1)
	for _, database := range []string{"fresh", "old"} {
		var did atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				plan, err := migrate.Apply(t.Context(), query, schema.Options{Database: database}, nil)
				assert.NoError(t, err)
				if !plan.UpToDate() {
					did.Add(1)
				}
			})
		}
		wg.Wait()
		assert.Equal(t, int32(1), did.Load(), "of eight one does the work on %s", database)
		assert.Equal(t, fmt.Sprintf("%d\t%d\n", schema.Version, schema.Version),
			server.Query(t, "SELECT count(), max(version) FROM "+database+".schema_version"))
	}
	assert.Equal(t, structure(t, server, "fresh"), structure(t, server, "old"))
}

func TestOtherStoresAreRefused(t *testing.T) {
	server := enginetest.Start(t)
	query := clientOf(server).Query
	_, err := migrate.Apply(t.Context(), query, schema.Options{}, nil)
	require.NoError(t, err)
	server.Exec(t, "INSERT INTO trackway.schema_version (version) VALUES (99)")
	_, err = migrate.Apply(t.Context(), query, schema.Options{}, nil)
	var newer *migrate.NewerError
	require.ErrorAs(t, err, &newer)
	require.ErrorContains(t, err, fmt.Sprintf("database trackway has schema version 99, this release knows %d: upgrade", schema.Version))

	_, err = migrate.Apply(t.Context(), query, schema.Options{Database: "other"}, nil)
	require.NoError(t, err)
	_, err = migrate.Make(t.Context(), query, schema.Options{Database: "other", Cluster: "main"})
	require.ErrorContains(t, err, "database other holds the tables of one server, not those of cluster main")
	assert.True(t, migrate.Refused(err))
	server.Exec(t, "ALTER TABLE other.schema_version UPDATE checksum = 'feed' WHERE version = 2 SETTINGS mutations_sync = 2")
	_, err = migrate.Apply(t.Context(), query, schema.Options{Database: "other"}, nil)
	var changed *migrate.ChangedError
	require.ErrorAs(t, err, &changed)
	require.ErrorContains(t, err, "step 2 (record steps) was applied in another form (checksum feed")
}
