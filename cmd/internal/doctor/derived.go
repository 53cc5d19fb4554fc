package doctor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/schema"
)

// derivation says what a table derived from rows must hold. Both sides are grouped
// by the key; its first two columns are project and a time.
type derivation struct {
	table string
	// key are the columns of the derived table, raw the expressions over the rows
	// that give them.
	key, raw []string
	// sums are the columns that add up, rawSums the expressions that give them.
	sums, rawSums []string
	// rows is what is selected from.
	rows string
	// ttl gives how long the derived row is kept, in days.
	ttl string
	// carry is a column that is not compared: after a unit was split because a table
	// refused it, what is derived from a row can be of another unit than the row.
	carry string
	// set says that only the presence of a key matters.
	set bool
}

func minuteOf(f string) string { return f + "(toDateTime(ts, 'UTC'))" }

var bucket = fmt.Sprintf("toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), %[1]d), %[2]d) - %[1]d)", schema.BucketLow, schema.BucketHigh)

func counts(table, column, start string) derivation {
	return derivation{
		table: table, rows: "requests", ttl: "rollup_ttl_days",
		key: []string{"project", column, "service", "route", "method", "status"}, raw: []string{"project", minuteOf(start), "service", "route", "method", "status"},
		sums: []string{"cnt", "weight", "bytes", "dur_ns"}, rawSums: []string{"toUInt64(1)", "toUInt64(weight)", "request_bytes + response_bytes", "duration"},
	}
}

func latencies(table, column, start string) derivation {
	return derivation{
		table: table, rows: "requests", ttl: "rollup_ttl_days",
		key: []string{"project", column, "service", "route", "method", "b"}, raw: []string{"project", minuteOf(start), "service", "route", "method", bucket},
		sums: []string{"cnt", "weight"}, rawSums: []string{"toUInt64(1)", "toUInt64(weight)"},
	}
}

// allRows are the rows of the three tables, one for each correlation key.
const keyedRows = `(SELECT project, kv.1 AS k, kv.2 AS v, ts, kind, rid, service, name, status, duration_ms, ttl_days, unit, trace_id FROM (
SELECT project, arrayJoin(correlation::Array(Tuple(String, String))) AS kv, ts, 'request' AS kind, rid, service, if(route = '', r.name, if(method = '', route, concat(method, ' ', route))) AS name, status, toFloat32(duration / 1e6) AS duration_ms, ttl_days, unit, trace_id FROM {db}.requests AS r
UNION ALL SELECT project, arrayJoin(correlation::Array(Tuple(String, String))), ts, 'span', rid, service, name, status, toFloat32(duration / 1e6), ttl_days, unit, trace_id FROM {db}.spans
UNION ALL SELECT project, arrayJoin(correlation::Array(Tuple(String, String))), ts, 'event', rid, service, name, 0, 0, ttl_days, unit, trace_id FROM {db}.events))`

const tracedRows = `(SELECT project, trace_id, ts, ttl_days FROM {db}.requests UNION ALL SELECT project, trace_id, ts, ttl_days FROM {db}.spans
UNION ALL SELECT project, trace_id, ts, ttl_days FROM {db}.events)`

const facetRows = `(SELECT project, ts, arrayJoin(facet_items) AS item, weight, rollup_ttl_days FROM {db}.requests)`

var derivations = []derivation{
	counts("cnt_m", "minute", "toStartOfMinute"), counts("cnt_h", "hour", "toStartOfHour"),
	latencies("lat_m", "minute", "toStartOfMinute"), latencies("lat_q", "quarter", "toStartOfFifteenMinutes"), latencies("lat_h", "hour", "toStartOfHour"),
	{
		table: "facets", rows: facetRows, ttl: "rollup_ttl_days",
		key:  []string{"project", "hour", "field", "value"},
		raw:  []string{"project", minuteOf("toStartOfHour"), "substring(item, 1, position(item, '=') - 1)", "substring(item, position(item, '=') + 1)"},
		sums: []string{"cnt", "weight"}, rawSums: []string{"toUInt64(1)", "toUInt64(weight)"},
	},
	{
		table: "journey", rows: keyedRows, ttl: "ttl_days", carry: "unit",
		key: []string{"project", "ts", "key", "value", "kind", "rid", "service", "name", "status", "duration_ms", "trace_id"},
		raw: []string{"project", "ts", "k", "v", "kind", "rid", "service", "name", "status", "duration_ms", "trace_id"},
	},
	{
		table: "trace_index", rows: tracedRows, ttl: "ttl_days", set: true,
		key: []string{"project", "minute", "h"}, raw: []string{"project", minuteOf("toStartOfMinute"), "reinterpretAsUInt32(trace_id)"},
	},
}

// difference is a query for the keys under which rows and derived rows do not agree
// in the range: k0… the key, d0… by how much the rows have more, ttl.
func (d *derivation) difference(db, from, to string) string {
	rows := db + "." + d.rows
	if strings.HasPrefix(d.rows, "(") {
		rows = strings.ReplaceAll(d.rows, "{db}", db)
	}
	where := fmt.Sprintf("ts >= %s AND ts < %s", from, to)
	switch d.table {
	case "trace_index":
		where += " AND trace_id != toFixedString('', 16)"
	case "facets":
		where += " AND position(item, '=') > 1"
	}
	sums, rawSums := d.sums, d.rawSums
	if len(sums) == 0 {
		sums, rawSums = []string{"1"}, []string{"1"}
	}
	var raw, derived, outer, having []string
	for i := range d.key {
		raw, derived = append(raw, fmt.Sprintf("%s AS k%d", d.raw[i], i)), append(derived, fmt.Sprintf("%s AS k%d", d.key[i], i))
	}
	for i := range sums {
		s, t := fmt.Sprintf("toInt64(sum(%s))", rawSums[i]), fmt.Sprintf("-toInt64(sum(%s))", sums[i])
		if d.set {
			s, t = "toInt64(1)", "toInt64(-1)"
		}
		raw, derived = append(raw, fmt.Sprintf("%s AS m%d", s, i)), append(derived, fmt.Sprintf("%s AS m%d", t, i))
		outer, having = append(outer, fmt.Sprintf("sum(m%d) AS d%d", i, i)), append(having, fmt.Sprintf("d%d != 0", i))
	}
	if d.carry != "" {
		raw, derived, outer = append(raw, fmt.Sprintf("max(%s) AS c", d.carry)), append(derived, fmt.Sprintf("max(%s) AS c", d.carry)), append(outer, "max(c) AS c")
	}
	if d.set { // what is left over says a minute too many, which costs a look and no more
		having = []string{"d0 > 0"}
	}
	keys := make([]string, len(d.key))
	for i := range keys {
		keys[i] = fmt.Sprintf("k%d", i)
	}
	k := strings.Join(keys, ", ")
	return fmt.Sprintf(`SELECT %[1]s, %[2]s, max(x) AS ttl FROM (
SELECT %[3]s, max(%[4]s) AS x FROM %[5]s WHERE %[6]s GROUP BY %[1]s
UNION ALL
SELECT %[7]s, max(ttl_days) AS x FROM %[8]s.%[9]s WHERE %[10]s >= %[11]s AND %[10]s < %[12]s GROUP BY %[1]s
) GROUP BY %[1]s HAVING %[13]s`,
		k, strings.Join(outer, ", "), strings.Join(raw, ", "), d.ttl, rows, where, strings.Join(derived, ", "), db, d.table, d.key[1], from, to, strings.Join(having, " OR "))
}

// repair gives the statements that make the table agree. Sums are linear, and
// unsigned sums wrap around, so what is too much is taken away by adding its
// complement. Journey rows are deleted where there are too many, and then inserted
// where they are missing.
func (d *derivation) repair(db, from, to string) []string {
	columns := append(append([]string{}, d.key...), d.sums...)
	var values []string
	for i := range d.key {
		values = append(values, fmt.Sprintf("k%d", i))
	}
	for i := range d.sums {
		values = append(values, fmt.Sprintf("reinterpretAsUInt64(d%d)", i))
	}
	var statements []string
	missing := ""
	if len(d.sums) == 0 {
		missing = " WHERE d0 > 0"
	}
	if len(d.sums) == 0 && !d.set {
		statements = append(statements, fmt.Sprintf("ALTER TABLE %s.%s DELETE WHERE (%s) IN (SELECT %s FROM (%s) WHERE d0 < 0) SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1",
			db, d.table, strings.Join(d.key, ", "), strings.Join(values, ", "), d.difference(db, from, to)))
	}
	if d.carry != "" {
		columns, values = append(columns, d.carry), append(values, "c")
	}
	return append(statements, fmt.Sprintf("INSERT INTO %s.%s (%s, ttl_days) SELECT %s, ttl FROM (%s)%s",
		db, d.table, strings.Join(columns, ", "), strings.Join(values, ", "), d.difference(db, from, to), missing))
}

// span is a range of whole hours.
type span struct{ from, to time.Time }

func sqlTime(t time.Time) string { return fmt.Sprintf("toDateTime(%d, 'UTC')", t.Unix()) }

// spans gives what is to be compared: the range asked for, the days of units in
// doubt, and hours at random.
func (c *checker) spans(ctx context.Context) ([]span, error) {
	out := []span{{c.From.Truncate(time.Hour), c.To.Add(time.Hour - 1).Truncate(time.Hour)}}
	for _, d := range c.doubtful {
		day := time.Unix(d.Window*2*86400, 0)
		out = append(out, span{day, day.Add(48 * time.Hour)})
	}
	if c.Sample == 0 {
		return out, nil
	}
	hours, err := ask[struct {
		Hour int64 `json:"h"`
	}](ctx, c, fmt.Sprintf("SELECT toUnixTimestamp(toStartOfHour(minute)) AS h FROM %[1]s.cnt_m WHERE minute > (SELECT toDateTime(min(ts), 'UTC') + INTERVAL 1 HOUR FROM %[1]s.requests) GROUP BY h", c.Database))
	if err != nil {
		return nil, err
	}
	rand.Shuffle(len(hours), func(i, j int) { hours[i], hours[j] = hours[j], hours[i] })
	for _, h := range hours[:min(c.Sample, len(hours))] {
		at := time.Unix(h.Hour, 0)
		out = append(out, span{at, at.Add(time.Hour)})
	}
	return out, nil
}

// derived compares rollups, facets, journeys and trace index with the rows.
func (c *checker) derived(ctx context.Context) ([]Finding, error) {
	spans, err := c.spans(ctx)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	c.report.Hours = 0
	for _, s := range spans {
		c.report.Hours += int(s.to.Sub(s.from) / time.Hour)
		for i := range derivations {
			found, err := c.compare(ctx, &derivations[i], sqlTime(s.from), sqlTime(s.to))
			if err != nil {
				return nil, err
			}
			findings = append(findings, found...)
		}
	}
	if c.Repair && allRepaired(findings) {
		return findings, c.forgetDoubts(ctx)
	}
	return findings, nil
}

// compare finds where one table differs, and mends it if that is asked for and the
// difference stays.
func (c *checker) compare(ctx context.Context, d *derivation, from, to string) ([]Finding, error) {
	differing, err := ask[struct {
		Project string `json:"k0"`
		Time    string `json:"at"`
		Keys    int    `json:"keys"`
		More    int64  `json:"more"`
		Less    int64  `json:"less"`
	}](ctx, c, fmt.Sprintf("SELECT k0, toString(k1) AS at, count() AS keys, sum(greatest(d0, 0)) AS more, sum(greatest(-d0, 0)) AS less FROM (%s) GROUP BY k0, at ORDER BY k0, at LIMIT %d",
		d.difference(c.Database, from, to), maxFindings))
	if err != nil {
		return nil, fmt.Errorf("comparing %s: %w", d.table, err)
	}
	if len(differing) == 0 {
		return nil, nil
	}
	repaired := false
	if c.Repair && time.Now().After(c.deadline) {
		for _, sql := range d.repair(c.Database, from, to) {
			if _, err := c.Store.Query(ctx, sql); err != nil {
				return nil, fmt.Errorf("repairing %s: %w", d.table, err)
			}
		}
		repaired = true
	}
	var findings []Finding
	for _, r := range differing {
		findings = append(findings, Finding{
			Check: "derived", Project: r.Project, Table: d.table, Time: r.Time,
			Text:     fmt.Sprintf("%d keys differ from the rows: %d missing, %d too many", r.Keys, r.More, r.Less),
			Repaired: repaired,
		})
	}
	return findings, nil
}

// forgetDoubts tells the collector that units in doubt have been looked at.
func (c *checker) forgetDoubts(ctx context.Context) error {
	for _, d := range c.doubtful {
		if err := c.admin().Do(ctx, http.MethodDelete, c.path("/doubtful")+"/"+d.Unit, nil, nil); err != nil {
			return fmt.Errorf("unit %s: %w", d.Unit, err)
		}
	}
	return nil
}
