package crash_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// agreements are pairs of queries that answer the same when every derived table
// holds exactly what the raw rows make.
var agreements = []struct{ name, raw, derived string }{
	{
		"cnt_m",
		"SELECT toStartOfMinute(toDateTime(ts, 'UTC')) AS m, service, route, method, status, count(), sum(toUInt64(weight)), sum(request_bytes + response_bytes), sum(duration) FROM trackway.requests GROUP BY ALL ORDER BY ALL",
		"SELECT minute, service, route, method, status, sum(cnt), sum(weight), sum(bytes), sum(dur_ns) FROM trackway.cnt_m GROUP BY ALL ORDER BY ALL",
	},
	{
		"cnt_h",
		"SELECT toStartOfHour(toDateTime(ts, 'UTC')) AS h, route, status, count(), sum(duration) FROM trackway.requests GROUP BY ALL ORDER BY ALL",
		"SELECT hour, route, status, sum(cnt), sum(dur_ns) FROM trackway.cnt_h GROUP BY ALL ORDER BY ALL",
	},
	{
		"lat_m",
		"SELECT toStartOfMinute(toDateTime(ts, 'UTC')) AS m, route, count() FROM trackway.requests GROUP BY ALL ORDER BY ALL",
		"SELECT minute, route, sum(cnt) FROM trackway.lat_m GROUP BY ALL ORDER BY ALL",
	},
	{
		"lat_q",
		"SELECT toStartOfFifteenMinutes(toDateTime(ts, 'UTC')) AS m, route, count() FROM trackway.requests GROUP BY ALL ORDER BY ALL",
		"SELECT quarter, route, sum(cnt) FROM trackway.lat_q GROUP BY ALL ORDER BY ALL",
	},
	{
		"lat_h",
		"SELECT toStartOfHour(toDateTime(ts, 'UTC')) AS m, route, count() FROM trackway.requests GROUP BY ALL ORDER BY ALL",
		"SELECT hour, route, sum(cnt) FROM trackway.lat_h GROUP BY ALL ORDER BY ALL",
	},
	{
		"facets",
		"SELECT toStartOfHour(toDateTime(ts, 'UTC')) AS h, arrayJoin(facet_items) AS item, count() FROM trackway.requests GROUP BY ALL ORDER BY ALL",
		"SELECT hour, field || '=' || value AS item, sum(cnt) FROM trackway.facets GROUP BY ALL ORDER BY ALL",
	},
	{
		"journey",
		"SELECT kind, count(), sum(cityHash64(rid, kv.1, kv.2)) FROM (SELECT 'request' AS kind, rid, arrayJoin(correlation::Array(Tuple(String, String))) AS kv FROM trackway.requests UNION ALL SELECT 'span', rid, arrayJoin(correlation::Array(Tuple(String, String))) FROM trackway.spans UNION ALL SELECT 'event', rid, arrayJoin(correlation::Array(Tuple(String, String))) FROM trackway.events) GROUP BY kind ORDER BY kind",
		"SELECT toString(kind) AS k, count(), sum(cityHash64(rid, toString(key), value)) FROM trackway.journey GROUP BY k ORDER BY k",
	},
	{
		"trace_index",
		"SELECT uniqExact(h, m), sum(cityHash64(h, m)) FROM (SELECT DISTINCT reinterpretAsUInt32(trace_id) AS h, toStartOfMinute(toDateTime(ts, 'UTC')) AS m FROM (SELECT trace_id, ts FROM trackway.requests UNION ALL SELECT trace_id, ts FROM trackway.spans UNION ALL SELECT trace_id, ts FROM trackway.events) WHERE trace_id != toFixedString('', 16))",
		"SELECT uniqExact(h, minute), sum(cityHash64(h, minute)) FROM (SELECT DISTINCT h, minute FROM trackway.trace_index)",
	},
}

// tables lists the tables that hold parts, a line each.
func (s store) tables(t *testing.T) string {
	t.Helper()
	return s.ask(t, "SELECT name FROM system.tables WHERE database = 'trackway' AND engine LIKE '%MergeTree' ORDER BY name")
}

// verifyDerived requires that every derived table agrees with the raw rows and
// that the engine finds no fault in any part.
func (s store) verifyDerived(t *testing.T) {
	t.Helper()
	for _, a := range agreements {
		raw, derived := s.ask(t, a.raw), s.ask(t, a.derived)
		require.NotEmpty(t, raw)
		require.Equal(t, strings.Split(raw, "\n"), strings.Split(derived, "\n"), "%s disagrees with the raw rows", a.name)
	}
	for table := range strings.SplitSeq(s.tables(t), "\n") {
		require.Equal(t, "1", s.ask(t, "CHECK TABLE trackway."+table+" SETTINGS check_query_single_value_result = 1"), "CHECK TABLE %s", table)
	}
}

// verifyUnits requires that the units 1 to last, and no others, are stored
// whole and once.
func (s store) verifyUnits(t *testing.T, last uint64) {
	t.Helper()
	require.Empty(t, s.ask(t, "SELECT unit, count(), uniqExact(rid) FROM trackway.requests GROUP BY unit HAVING count() != "+itoa(unitRows)+" OR uniqExact(rid) != "+itoa(unitRows)),
		"units that are not stored whole and once: unit, rows, distinct rows")
	require.Equal(t, itoa(last)+"\t"+itoa(last), s.ask(t, "SELECT uniqExact(unit), max(unit) FROM trackway.requests"))
	s.verifyDerived(t)
}
