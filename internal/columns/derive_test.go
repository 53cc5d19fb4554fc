package columns

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/schema"
)

// agreements say of each derived table what it must hold: the rows that the engine
// makes of the raw ones.
var agreements = map[string]struct{ raw, derived string }{
	"cnt_m": {
		`SELECT project, toStartOfMinute(toDateTime(ts, 'UTC')) AS m, service, route, method, status, count(), sum(toUInt64(weight)), sum(request_bytes + response_bytes), sum(duration), max(rollup_ttl_days) FROM trackway.requests GROUP BY ALL ORDER BY ALL`,
		`SELECT project, minute, service, route, method, status, sum(cnt), sum(weight), sum(bytes), sum(dur_ns), max(ttl_days) FROM trackway.cnt_m GROUP BY ALL ORDER BY ALL`,
	},
	"cnt_h": {
		`SELECT project, toStartOfHour(toDateTime(ts, 'UTC')) AS h, service, route, method, status, count(), sum(toUInt64(weight)), sum(request_bytes + response_bytes), sum(duration), max(rollup_ttl_days) FROM trackway.requests GROUP BY ALL ORDER BY ALL`,
		`SELECT project, hour, service, route, method, status, sum(cnt), sum(weight), sum(bytes), sum(dur_ns), max(ttl_days) FROM trackway.cnt_h GROUP BY ALL ORDER BY ALL`,
	},
	"lat_m": {
		`SELECT project, toStartOfMinute(toDateTime(ts, 'UTC')) AS m, service, route, method, BUCKET AS b, count(), sum(toUInt64(weight)), max(rollup_ttl_days) FROM trackway.requests GROUP BY ALL ORDER BY ALL`,
		`SELECT project, minute, service, route, method, b, sum(cnt), sum(weight), max(ttl_days) FROM trackway.lat_m GROUP BY ALL ORDER BY ALL`,
	},
	"lat_q": {
		`SELECT project, toStartOfFifteenMinutes(toDateTime(ts, 'UTC')) AS m, service, route, method, BUCKET AS b, count(), sum(toUInt64(weight)), max(rollup_ttl_days) FROM trackway.requests GROUP BY ALL ORDER BY ALL`,
		`SELECT project, quarter, service, route, method, b, sum(cnt), sum(weight), max(ttl_days) FROM trackway.lat_q GROUP BY ALL ORDER BY ALL`,
	},
	"lat_h": {
		`SELECT project, toStartOfHour(toDateTime(ts, 'UTC')) AS m, service, route, method, BUCKET AS b, count(), sum(toUInt64(weight)), max(rollup_ttl_days) FROM trackway.requests GROUP BY ALL ORDER BY ALL`,
		`SELECT project, hour, service, route, method, b, sum(cnt), sum(weight), max(ttl_days) FROM trackway.lat_h GROUP BY ALL ORDER BY ALL`,
	},
	"facets": {
		`SELECT project, toStartOfHour(toDateTime(ts, 'UTC')) AS h, arrayJoin(facet_items) AS item, count(), sum(toUInt64(weight)), max(rollup_ttl_days) FROM trackway.requests GROUP BY ALL HAVING position(item, '=') > 1 ORDER BY ALL`,
		`SELECT project, hour, field || '=' || value AS item, sum(cnt), sum(weight), max(ttl_days) FROM trackway.facets GROUP BY ALL ORDER BY ALL`,
	},
	"journey": {
		`SELECT project, kv.1, kv.2, ts, k, rid, service, n, s, d, ttl_days, unit, hex(trace_id) FROM (
			SELECT project, arrayJoin(correlation::Array(Tuple(String, String))) AS kv, ts, 'request' AS k, rid, service,
				if(route = '', requests.name, if(method = '', route, concat(method, ' ', route))) AS n, status AS s, toFloat32(duration / 1e6) AS d, ttl_days, unit, trace_id FROM trackway.requests
			UNION ALL SELECT project, arrayJoin(correlation::Array(Tuple(String, String))), ts, 'span', rid, service, name, status, toFloat32(duration / 1e6), ttl_days, unit, trace_id FROM trackway.spans
			UNION ALL SELECT project, arrayJoin(correlation::Array(Tuple(String, String))), ts, 'event', rid, service, name, 0, 0, ttl_days, unit, trace_id FROM trackway.events) ORDER BY ALL`,
		`SELECT project, key, value, ts, kind, rid, service, name, status, duration_ms, ttl_days, unit, hex(trace_id) FROM trackway.journey ORDER BY ALL`,
	},
	"trace_keys": {
		`SELECT project, kv.1, kv.2, hex(trace_id), min(ts) FROM (
			SELECT project, arrayJoin(correlation::Array(Tuple(String, String))) AS kv, ts, trace_id FROM trackway.requests
			UNION ALL SELECT project, arrayJoin(correlation::Array(Tuple(String, String))), ts, trace_id FROM trackway.spans
			UNION ALL SELECT project, arrayJoin(correlation::Array(Tuple(String, String))), ts, trace_id FROM trackway.events)
			WHERE trace_id != toFixedString('', 16) GROUP BY ALL ORDER BY ALL`,
		`SELECT project, key, value, hex(trace_id), ts FROM trackway.trace_keys ORDER BY ALL`,
	},
	"trace_index": {
		`SELECT project, reinterpretAsUInt32(trace_id) AS h, toStartOfMinute(toDateTime(ts, 'UTC')) AS m, max(ttl_days) FROM (
			SELECT project, trace_id, ts, ttl_days FROM trackway.requests UNION ALL SELECT project, trace_id, ts, ttl_days FROM trackway.spans
			UNION ALL SELECT project, trace_id, ts, ttl_days FROM trackway.events) WHERE trace_id != toFixedString('', 16) GROUP BY ALL ORDER BY ALL`,
		`SELECT project, h, minute, max(ttl_days) FROM trackway.trace_index GROUP BY ALL ORDER BY ALL`,
	},
}

const bucketSQL = `toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984)`

func createSchema(t testing.TB, server *enginetest.Server) {
	t.Helper()
	require.NoError(t, schema.Create(context.Background(), schema.Options{}, func(_ context.Context, sql string) error {
		server.Exec(t, sql)
		return nil
	}))
}

// TestDerivedRowsAreThoseTheEngineWouldMake stores units of odd rows that spread over
// hours and days, each twice.
func TestDerivedRowsAreThoseTheEngineWouldMake(t *testing.T) {
	server := enginetest.Start(t)
	createSchema(t, server)
	s := newSampler(11)
	day := time.Now().UTC().Truncate(48 * time.Hour).Add(-48 * time.Hour)
	var e Encoder
	for unit := range uint64(5) {
		var parts []*Part
		for range 3 {
			var b Batch
			for range 60 {
				b.BeginItem("p")
				r := s.record()
				r.Time = day.Add(time.Duration(s.Int64N(int64(48 * time.Hour))))
				if s.IntN(2) == 0 {
					r.Time = day.Add(time.Duration(s.Int64N(int64(5 * time.Minute))))
				}
				r.Weight = uint32(256 * (1 + s.IntN(3)))
				b.Append(&r)
			}
			parts = append(parts, b.Parts()...)
		}
		inserts, err := e.Unit(unit, parts)
		require.NoError(t, err)
		for range 2 {
			for _, ins := range inserts {
				post(t, server, ins)
			}
		}
	}
	assert.Equal(t, "900\n", server.Query(t, "SELECT (SELECT count() FROM trackway.requests) + (SELECT count() FROM trackway.spans) + (SELECT count() FROM trackway.events)"))
	for table, a := range agreements {
		raw := server.Query(t, strings.ReplaceAll(a.raw, "BUCKET", bucketSQL))
		require.NotEmpty(t, raw)
		assert.Equal(t, strings.Split(raw, "\n"), strings.Split(server.Query(t, a.derived), "\n"), table)
	}
}

// TestBlocksAreSorted stores a unit and asks the engine how many of its blocks it
// found in order.
func TestBlocksAreSorted(t *testing.T) {
	server := enginetest.Start(t)
	createSchema(t, server)
	parts, _ := unitOf(t, 12, 200, 300, 250)
	inserts, err := new(Encoder).Unit(1, parts)
	require.NoError(t, err)
	before := server.Query(t, "SELECT sum(value) FROM system.events WHERE event = 'MergeTreeDataWriterBlocksAlreadySorted'")
	for _, ins := range inserts {
		post(t, server, ins)
	}
	var a, b int
	_, err = fmt.Sscan(before, &a)
	require.NoError(t, err)
	_, err = fmt.Sscan(server.Query(t, "SELECT sum(value) FROM system.events WHERE event = 'MergeTreeDataWriterBlocksAlreadySorted'"), &b)
	require.NoError(t, err)
	assert.Equal(t, len(inserts), b-a)
}

// post sends an INSERT as the exporter does.
func post(t testing.TB, s *enginetest.Server, ins Insert) {
	q := url.Values{
		"async_insert": {"0"}, "insert_deduplicate": {"1"}, "deduplicate_blocks_in_dependent_materialized_views": {"1"},
		"max_insert_block_size": {"1048448"}, "min_insert_block_size_rows": {"1048448"}, "min_insert_block_size_bytes": {"0"}, "wait_end_of_query": {"1"},
		"insert_deduplication_token": {ins.Token}, "query": {"INSERT INTO trackway." + ins.Table + " (" + ins.Columns + ") FORMAT Native"},
	}
	req, err := http.NewRequest(http.MethodPost, s.URL+"/?"+q.Encode(), bytes.NewReader(ins.Body))
	require.NoError(t, err)
	req.SetBasicAuth(s.User, s.Password)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	_ = resp.Body.Close()
	require.Equal(t, 200, resp.StatusCode, string(body))
}
