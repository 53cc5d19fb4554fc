package crash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// A unit is the exporter's unit of insert: rows that are always sent together,
// in one order, under one token. These spread over unitDays partitions of every
// table that is partitioned by day.
const (
	unitDays = 3
	unitRows = 20 * unitDays
)

// row is what the tests set of a request; the rest takes its default.
type row struct {
	Project     string            `json:"project"`
	Time        string            `json:"ts"`
	RID         uint64            `json:"rid"`
	Service     string            `json:"service"`
	Method      string            `json:"method"`
	Route       string            `json:"route"`
	Status      int               `json:"status"`
	Duration    uint64            `json:"duration"`
	TraceID     string            `json:"trace_id"`
	Bytes       uint64            `json:"request_bytes"`
	Correlation map[string]string `json:"correlation"`
	Facets      []string          `json:"facet_items"`
	TTL         int               `json:"ttl_days"`
	Unit        uint64            `json:"unit"`
}

// unit makes the rows of a unit from its number alone, as JSONEachRow. start is
// the day of the newest rows.
func unit(number uint64, start time.Time) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for i := range uint64(unitRows) {
		r := row{
			Project: "default", RID: number<<16 + i, Unit: number,
			Time:    start.AddDate(0, 0, -int(i%unitDays)).Add(time.Duration(number%600)*time.Second + time.Duration(i)).Format("2006-01-02 15:04:05.000000000"),
			Service: "api", Method: "GET", Route: "/projects/:id/" + strconv.FormatUint(i%5, 10), Status: []int{200, 200, 404, 500}[i%4],
			Duration: (i + 1) * 1_000_000, TraceID: fmt.Sprintf("%016d", number<<8+i/4), Bytes: i,
			Correlation: map[string]string{"order_id": fmt.Sprint("o", number), "user_id": fmt.Sprint("u", i%7)},
			Facets:      []string{"plan=" + []string{"free", "pro"}[i%2]}, TTL: 30,
		}
		if err := enc.Encode(r); err != nil {
			panic(err) // a struct of plain values
		}
	}
	return out.Bytes()
}

const insertStatement = "INSERT INTO trackway.requests (project, ts, rid, service, method, route, status, duration, trace_id, request_bytes, correlation, facet_items, ttl_days, unit) FORMAT JSONEachRow"

// insertUnit sends a unit once. The settings are those of ADR 0003.
func (s store) insertUnit(ctx context.Context, number uint64, start time.Time) error {
	_, err := s.post(ctx, insertStatement, url.Values{
		"insert_deduplication_token":                         {fmt.Sprint("unit-", number)},
		"deduplicate_blocks_in_dependent_materialized_views": {"1"},
		"max_insert_threads":                                 {"1"},
		"async_insert":                                       {"0"},
	}, bytes.NewReader(unit(number, start)))
	return err
}

// today is the newest day of the tests' rows: well inside the retention.
func today() time.Time { return time.Now().UTC().Truncate(24 * time.Hour).Add(-24 * time.Hour) }
