package budget

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/schema/migrate"
	"github.com/trackwayhq/trackway/internal/storelock"
)

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"": {}, "80%": {Percent: 80}, "0.5%": {Percent: 0.5}, "1024": {Bytes: 1024}, "2KiB": {Bytes: 2048},
		"1.5 GiB": {Bytes: 3 << 29}, " 2TiB ": {Bytes: 2 << 40}, "7B": {Bytes: 7},
	} {
		got, err := ParseLimit(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"0", "0%", "100%", "-1", "x", "1GB", "NaN", "1e30", "%"} {
		_, err := ParseLimit(text)
		assert.ErrorContains(t, err, "want bytes such as 200GiB", text)
	}
	assert.Equal(t, "1.5 GiB", FormatBytes(3<<29))
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return d
}

func TestPlanDropsDaysOldestFirst(t *testing.T) {
	s := store{today: day(t, "2026-11-30"), diskTotal: 1000, diskUsed: 900, partitions: []Drop{
		{Table: "cnt_h", Partition: "202610", LastDay: day(t, "2026-10-31"), Rollup: true, Bytes: 10},
		{Table: "cnt_h", Partition: "202611", LastDay: day(t, "2026-11-30"), Rollup: true, Bytes: 10},
		{Table: "journey", Partition: "2026-11-16", LastDay: day(t, "2026-11-22"), Bytes: 10},
		{Table: "requests", Partition: "2026-11-21", LastDay: day(t, "2026-11-21"), Bytes: 100},
		{Table: "requests", Partition: "2026-11-22", LastDay: day(t, "2026-11-22"), Bytes: 100},
		{Table: "requests", Partition: "2026-11-30", LastDay: day(t, "2026-11-30"), Bytes: 100},
		{Table: "spans", Partition: "2026-11-21", LastDay: day(t, "2026-11-21"), Bytes: 100},
	}}
	names := func(p Plan) (out []string) {
		for _, d := range p.Drops {
			out = append(out, d.Table+" "+d.Partition)
		}
		return out
	}
	o := schema.Options{}
	assert.Empty(t, plan(o, s, Limit{}).Drops)
	assert.Empty(t, plan(o, s, Limit{Bytes: 430}).Drops)
	oldest := []string{"requests 2026-11-21", "spans 2026-11-21"}
	assert.Equal(t, oldest, names(plan(o, s, Limit{Bytes: 429})), "a day goes from all raw tables at once")
	p := plan(o, s, Limit{Percent: 70.1})
	assert.Equal(t, oldest, names(p))
	assert.Equal(t, uint64(701), p.Limit)
	assert.Equal(t, uint64(900), p.Used)
	p = plan(o, s, Limit{Bytes: 1})
	assert.Equal(t, append(oldest, "journey 2026-11-16", "requests 2026-11-22", "cnt_h 202610"), names(p),
		"a week goes with its last day, rollups after all raw days, today never")
	assert.Equal(t, uint64(109), p.Short)
	assert.Equal(t, "ALTER TABLE trackway.requests DROP PARTITION ID '20261121'", p.Drops[0].SQL)
	assert.Equal(t, "ALTER TABLE trackway_local.requests ON CLUSTER 'main' DROP PARTITION ID '20261121'",
		plan(schema.Options{Cluster: "main"}, s, Limit{Bytes: 1}).Drops[0].SQL)
}

// TestOnTheEngine fills a store with small partitions and drops some of them.
func TestOnTheEngine(t *testing.T) {
	server := enginetest.Start(t)
	query := (&clickhouse.Client{URL: server.URL, User: server.User, Password: server.Password}).Query
	var o schema.Options
	_, err := migrate.Apply(t.Context(), query, o, nil)
	require.NoError(t, err)
	const days = 12
	for _, table := range []string{"requests", "spans", "events"} {
		server.Exec(t, fmt.Sprintf(`INSERT INTO trackway.%s (project, ts, rid, service, trace_id, correlation, attributes, ttl_days)
			SELECT 'p', now64(9, 'UTC') - toIntervalDay(number %% %d), number, 'api', unhex(leftPad(hex(number), 32, '0')),
			map('user_id', hex(sipHash64(number))), map('x', hex(sipHash128(number))), 400 FROM numbers(6000)`, table, days))
	}
	// What the exporter derives of them.
	server.Exec(t, "INSERT INTO trackway.trace_index (project, h, minute, ttl_days) SELECT DISTINCT project, reinterpretAsUInt32(trace_id), toStartOfMinute(ts), 400 FROM trackway.requests")
	server.Exec(t, "INSERT INTO trackway.journey (project, key, value, ts, ttl_days) SELECT 'p', 'k', 'v', now64(9, 'UTC') - toIntervalDay(number), 400 FROM numbers(20)")
	server.Exec(t, "INSERT INTO trackway.lat_h (project, hour, cnt, ttl_days) SELECT 'p', now() - toIntervalDay(number * 31), 1, 400 FROM numbers(3)")

	s, err := look(t.Context(), query, o)
	require.NoError(t, err)
	rollups := map[string]bool{}
	for _, d := range s.partitions {
		rollups[d.Table] = d.Rollup
	}
	assert.Equal(t, map[string]bool{"requests": false, "spans": false, "events": false, "journey": false, "trace_index": false},
		filter(rollups, false))
	assert.Contains(t, filter(rollups, true), "lat_h")
	assert.NotContains(t, rollups, "schema_lock")
	assert.Less(t, s.diskUsed, s.diskTotal)
	assert.Positive(t, s.diskUsed)

	all, err := Make(t.Context(), query, o, Limit{Bytes: 1 << 40})
	require.NoError(t, err)
	require.Empty(t, all.Drops)
	limit := Limit{Bytes: all.Used * 6 / 10}
	planned, err := Make(t.Context(), query, o, limit)
	require.NoError(t, err)
	require.NotEmpty(t, planned.Drops)
	assert.Zero(t, planned.Short)

	held, err := storelock.TryAcquire(t.Context(), migrate.LockTable(query, o), lockName)
	require.NoError(t, err)
	_, err = Apply(t.Context(), query, o, limit, nil)
	require.ErrorIs(t, err, storelock.ErrHeld)
	require.NoError(t, held.Release(t.Context()))

	var told []Drop
	done, err := Apply(t.Context(), query, o, limit, func(d Drop) { told = append(told, d) })
	require.NoError(t, err)
	assert.Equal(t, planned.Drops, done.Drops)
	assert.Equal(t, done.Drops, told)
	assert.Equal(t, fmt.Sprintln(len(done.Drops)), server.Query(t, "SELECT count() FROM trackway.dropped_partitions"))
	after, err := Make(t.Context(), query, o, limit)
	require.NoError(t, err)
	assert.LessOrEqual(t, after.Used, limit.Bytes)
	assert.Empty(t, after.Drops)

	kept := server.Query(t, "SELECT groupUniqArray(d) FROM (SELECT toDate(min(ts)) AS d FROM trackway.requests UNION ALL SELECT toDate(min(ts)) FROM trackway.spans UNION ALL SELECT toDate(min(ts)) FROM trackway.events)")
	assert.Len(t, strings.Split(kept, ","), 1, "all raw tables begin at the same day: %s", kept)
	assert.Equal(t, fmt.Sprintln(6000/days), server.Query(t, "SELECT count() FROM trackway.requests WHERE toDate(ts) = toDate(now('UTC'))"))

	done, err = Apply(t.Context(), query, o, Limit{Bytes: 1}, nil)
	require.NoError(t, err)
	assert.Positive(t, done.Short, "today's stays")
	assert.Equal(t, "1\n", server.Query(t, "SELECT uniqExact(toDate(ts)) FROM trackway.requests"))
	assert.Equal(t, "0\n", server.Query(t, "SELECT count() FROM trackway.lat_h WHERE hour < toStartOfMonth(now('UTC'))"), "months of rollups that are over are gone")
}

func filter(m map[string]bool, want bool) map[string]bool {
	out := map[string]bool{}
	for k, v := range m {
		if v == want {
			out[k] = v
		}
	}
	return out
}

func TestClusterStatementsParse(t *testing.T) {
	server := enginetest.Start(t)
	o := schema.Options{Cluster: "main"}
	for _, sql := range []string{
		disksQuery(o), partitionsQuery(o), dropStatement(o, Drop{Table: "requests", Partition: "2026-11-30"}), recordStatement(o, Plan{}, Drop{}),
	} {
		server.Exec(t, "EXPLAIN AST "+sql)
	}
}
