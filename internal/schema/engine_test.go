package schema

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

func createOn(t *testing.T, server *enginetest.Server, o Options) {
	t.Helper()
	require.NoError(t, Create(context.Background(), o, func(ctx context.Context, sql string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(sql))
		if err != nil {
			return err
		}
		req.SetBasicAuth(server.User, server.Password)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("HTTP %d: %s", resp.StatusCode, text)
		}
		return err
	}))
}

// TestOnTheEngine creates the schema twice, in both forms, and looks at what the
// views make of one insert.
func TestOnTheEngine(t *testing.T) {
	server := enginetest.Start(t)
	for range 2 {
		createOn(t, server, Options{})
		createOn(t, server, Options{Database: "other", NoTextIndex: true})
	}
	assert.Equal(t, fmt.Sprintln(Version), server.Query(t, VersionQuery("")))
	assert.Equal(t, fmt.Sprintln(Version), server.Query(t, "SELECT count() FROM trackway.schema_version"))
	assert.Equal(t, fmt.Sprintf("%d\n%d\n", len(order), len(order)),
		server.Query(t, "SELECT count() FROM system.tables WHERE database IN ('trackway', 'other') GROUP BY database"))

	var durations []string
	want := map[uint8]int{}
	for range 1000 {
		ns := uint64(1) << rand.UintN(50) * (100 + rand.Uint64N(100)) / 100
		durations = append(durations, fmt.Sprint(ns))
		want[Bucket(ns)]++
	}
	server.Exec(t, `INSERT INTO trackway.requests (project, ts, rid, service, route, method, status, duration, weight, trace_id, correlation, facet_items, ttl_days)
		SELECT 'p', toDateTime64('2026-11-30 12:00:00', 9, 'UTC'), rowNumberInAllBlocks(), 'api', '/r', 'GET', 200, toUInt64(d), 512,
			unhex('0102030405060708090a0b0c0d0e0f10'), map('user_id', 'u_1', 'order_id', 'o_1'), ['plan=a=b', '(other)'], 30
		FROM (SELECT arrayJoin(splitByChar(',', '`+strings.Join(durations, ",")+`')) AS d) SETTINGS max_threads = 1`)

	for _, table := range []string{"lat_m", "lat_q", "lat_h"} {
		got := map[uint8]int{}
		for line := range strings.Lines(server.Query(t, "SELECT b, sum(cnt), sum(weight), max(ttl_days) FROM trackway."+table+" GROUP BY b")) {
			var b uint8
			var cnt, weight, ttl int
			_, err := fmt.Sscan(line, &b, &cnt, &weight, &ttl)
			require.NoError(t, err)
			assert.Equal(t, cnt*512, weight)
			assert.Equal(t, DefaultRollupTTLDays, ttl)
			got[b] = cnt
		}
		assert.Equal(t, want, got, "%s: buckets as Bucket gives them", table)
	}
	assert.Equal(t, "1000\t512000\n", server.Query(t, "SELECT sum(cnt), sum(weight) FROM trackway.cnt_h"))
	assert.Equal(t, "plan\ta=b\t1000\n", server.Query(t, "SELECT field, value, sum(cnt) FROM trackway.facets GROUP BY ALL"))
	assert.Equal(t, "order_id\to_1\tGET /r\t1000\nuser_id\tu_1\tGET /r\t1000\n",
		server.Query(t, "SELECT key, value, name, count() FROM trackway.journey GROUP BY ALL ORDER BY key"))
	assert.Equal(t, fmt.Sprintf("%d\t1\n", TraceHash([16]byte{1, 2, 3, 4})), server.Query(t, "SELECT h, count() FROM trackway.trace_index GROUP BY h"))

	explained := server.Query(t, "EXPLAIN indexes = 1 SELECT count() FROM trackway.requests WHERE hasAny(facet_items, ['plan=z', 'plan=(other)', '(never)'])")
	assert.Contains(t, explained, "ix_facet", "a search for the three items of an attribute uses the text index")
}
