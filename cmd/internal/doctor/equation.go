package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
)

// Sums are a project's counts, in items, over all minutes that the ledger keeps.
type Sums struct {
	Project    string           `json:"project"`
	Received   int64            `json:"received"`
	Rejected   int64            `json:"rejected"`
	Accepted   int64            `json:"accepted"`
	Stored     int64            `json:"stored"`
	Pending    int64            `json:"pending"`
	DeadLetter int64            `json:"dead_letter"`
	Dropped    map[string]int64 `json:"dropped"`
	Removed    int64            `json:"removed"`
}

// ask runs a query and decodes each row of its answer.
func ask[T any](ctx context.Context, c *checker, sql string) ([]T, error) {
	body, err := c.Store.Stream(ctx, sql+" FORMAT JSONEachRow", map[string]string{"output_format_json_quote_64bit_integers": "0", "wait_end_of_query": "1"})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var out []T
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("answer of the store: %w: %s", err, lines.Text())
		}
		out = append(out, row)
	}
	return out, lines.Err()
}

func (c *checker) sums(ctx context.Context) ([]Sums, error) {
	return ask[Sums](ctx, c, fmt.Sprintf(`SELECT project, sum(l.received) AS received, sum(l.rejected) AS rejected, sum(l.accepted) AS accepted, sum(l.stored) AS stored,
sum(l.pending) AS pending, sum(l.dead_letter) AS dead_letter, sumMap(l.dropped) AS dropped, sum(l.removed) AS removed
FROM (SELECT project, received, rejected, accepted, stored, pending, dead_letter, dropped, removed FROM %s.delivery_ledger FINAL) AS l GROUP BY project ORDER BY project`, c.Database))
}

// equation keeps the sums for the report. It holds by construction, as far as what
// is received, accepted and pending goes: the other checks are about its terms.
func (c *checker) equation(ctx context.Context) ([]Finding, error) {
	sums, err := c.sums(ctx)
	if err != nil {
		return nil, err
	}
	c.report.Equation = sums
	var findings []Finding
	for _, s := range sums {
		for name, n := range map[string]int64{"received": s.Received, "rejected": s.Rejected, "accepted": s.Accepted, "stored": s.Stored, "dead_letter": s.DeadLetter} {
			if n < 0 {
				findings = append(findings, Finding{Check: "ledger", Project: s.Project, Text: fmt.Sprintf("%s is %d: a count cannot be negative", name, n)})
			}
		}
	}
	return findings, nil
}

// rows counts the rows of each minute's units in the store.
func (c *checker) rows(ctx context.Context) ([]Finding, error) {
	var findings []Finding
	count, err := ask[struct {
		Minutes int `json:"minutes"`
	}](ctx, c, fmt.Sprintf("SELECT uniqExact(project, minute) AS minutes FROM %s.delivery_ledger FINAL WHERE request_rows + span_rows + event_rows != 0 AND minute >= %s", c.Database, c.keptSince()))
	if err != nil {
		return nil, err
	}
	c.report.Minutes = count[0].Minutes
	for table, column := range map[string]string{"requests": "request_rows", "spans": "span_rows", "events": "event_rows"} {
		differing, err := ask[struct {
			Project string `json:"project"`
			Minute  string `json:"at"`
			Counted int64  `json:"counted"`
			There   int64  `json:"there"`
		}](ctx, c, fmt.Sprintf(`SELECT project, toString(minute) AS at, sum(n) AS counted, sum(m) AS there FROM (
SELECT project, minute, %[2]s AS n, 0 AS m FROM %[1]s.delivery_ledger FINAL WHERE minute >= %[4]s
UNION ALL
SELECT project, toDateTime(intDiv(bitShiftRight(unit, 32), 60) * 60, 'UTC') AS minute, 0, toInt64(count()) FROM %[1]s.%[3]s
WHERE bitShiftRight(unit, 32) >= toUnixTimestamp(%[4]s) GROUP BY project, minute
) GROUP BY project, minute HAVING counted != there ORDER BY project, minute LIMIT %[5]d`, c.Database, column, table, c.keptSince(), maxFindings))
		if err != nil {
			return nil, err
		}
		for _, d := range differing {
			findings = append(findings, Finding{
				Check: "rows", Project: d.Project, Table: table, Time: d.Minute,
				Text: fmt.Sprintf("units formed in this minute stored %d rows, %d are there", d.Counted, d.There),
				lost: d.Counted - d.There, column: column,
			})
		}
	}
	return findings, nil
}

// maxFindings bounds the findings of one table.
const maxFindings = 100

// keptSince is from when on no row can have expired: the first minute of the ledger,
// or the shortest time that rows are kept.
func (c *checker) keptSince() string {
	return fmt.Sprintf(`toStartOfMinute(greatest((SELECT min(minute) FROM %[1]s.delivery_ledger),
now('UTC') - toIntervalDay((SELECT ifNull(min(d), 30) FROM (SELECT min(ttl_days) AS d FROM %[1]s.requests HAVING count() > 0 UNION ALL SELECT min(ttl_days) FROM %[1]s.spans HAVING count() > 0 UNION ALL SELECT min(ttl_days) FROM %[1]s.events HAVING count() > 0)))))`, c.Database)
}
