package crash_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/internal/columns"
	"github.com/trackwayhq/trackway/internal/record"
)

// A unit is the exporter's unit of insert: rows that are always sent together,
// in one order, under one token for each table. These spread over unitDays
// partitions of every table that is partitioned by day.
const (
	unitDays = 2
	unitRows = 20 * unitDays
)

// unit makes the inserts of a unit from its number alone. start is the day of the
// newest rows.
func unit(number uint64, start time.Time) ([]columns.Insert, error) {
	var b columns.Batch
	b.BeginItem("default")
	for i := range uint64(unitRows) {
		r := record.Record{
			Kind: record.Request, Project: "default", RID: number<<16 + i,
			Time:    start.AddDate(0, 0, -int(i%unitDays)).Add(time.Duration(number%600)*time.Second + time.Duration(i)),
			Service: "api", Method: "GET", Route: "/projects/:id/" + strconv.FormatUint(i%5, 10), Status: []uint16{200, 200, 404, 500}[i%4],
			Duration: (i + 1) * 1_000_000, RequestBytes: i, Weight: 256, TTLDays: 30,
			Correlation: record.Pairs{{Key: "order_id", Value: fmt.Sprint("o", number)}, {Key: "user_id", Value: fmt.Sprint("u", i%7)}},
			FacetItems:  []string{"plan=" + []string{"free", "pro"}[i%2]},
		}
		binary.BigEndian.PutUint64(r.TraceID[8:], number<<8+i/4+1)
		binary.LittleEndian.PutUint32(r.TraceID[:], uint32(number<<8+i/4+1))
		b.Append(&r)
	}
	return new(columns.Encoder).Unit(number, b.Parts())
}

// insertUnit sends a unit once, the records first. The settings are those of ADR
// 0003.
func (s store) insertUnit(ctx context.Context, number uint64, start time.Time) error {
	inserts, err := unit(number, start)
	if err != nil {
		return err
	}
	for _, ins := range inserts {
		_, err := s.post(ctx, fmt.Sprintf("INSERT INTO trackway.%s (%s) FORMAT Native", ins.Table, ins.Columns), url.Values{
			"insert_deduplication_token": {ins.Token},
			"max_insert_threads":         {"1"},
			"async_insert":               {"0"},
		}, bytes.NewReader(ins.Body))
		if err != nil {
			return err
		}
	}
	return nil
}

// today is the newest day of the tests' rows: well inside the retention, and the
// second of the two days that one unit may span.
func today() time.Time {
	const day = 24 * time.Hour
	pair := time.Unix(0, 0).UTC().Add(time.Since(time.Unix(0, 0)).Truncate(unitDays * day))
	return pair.Add(-day)
}
