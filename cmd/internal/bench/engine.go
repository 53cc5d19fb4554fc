package bench

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/recount"
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

//go:embed sql/fed.sql
var fedSQL string

// What the bare engine is fed: units of so many rows of requests, so many at a
// time, which is what the exporter does.
const (
	unitRows     = 20_000
	unitBatch    = 500
	unitInFlight = 2
)

// bareEngine feeds the engine what the exporter made of the same traffic, without
// a collector: what is left for everything else.
func (b *Bench) bareEngine() []*arm {
	var arms []*arm
	for _, format := range []string{"Native", "JSONEachRow"} {
		spec := b.spec(workload.NDJSON, workload.Mix{}, unitInFlight, unitRows, 0, 10)
		arms = append(arms, &arm{
			name: format, spec: spec, probes: none,
			measure: func(ctx context.Context, r *run) error { return r.feed(ctx, format) },
			notes: []string{fmt.Sprintf("no collector: units of %d requests as the exporter made them, with everything it inserts beside them, sent again and again by the benchmark's own process, %d at a time, each with a token of its own",
				unitRows, unitInFlight)},
		})
	}
	return arms
}

// table is one that the exporter inserts into, with the rows of a unit.
type table struct {
	Name    string `json:"name"`
	Columns string `json:"columns"`
	Rows    int64  `json:"rows"`
	body    []byte
}

// feed measures the engine alone.
func (r *run) feed(ctx context.Context, format string) error {
	tables, err := r.unit(ctx, format)
	if err != nil {
		return err
	}
	if r.watch, err = newWatch(r.stack, nil); err != nil {
		return err
	}
	beside, end := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end()
	watching.Go(func() { r.watch.run(beside) })
	if r.start, err = r.watch.now(); err != nil {
		return err
	}
	r.measuring = r.start
	units, latency, err := r.insertUnits(ctx, tables, format)
	if err != nil {
		return err
	}
	if r.sent, err = r.watch.now(); err != nil {
		return err
	}
	r.drained = r.sent
	if err := r.settle(ctx); err != nil {
		return err
	}
	end()
	watching.Wait()

	bytes := 0
	for _, t := range tables {
		bytes += len(t.body)
	}
	p := r.point
	p.BytesPerItem = float64(bytes) / unitRows
	counts := sender.Counts{BatchesSent: units, BatchesAccepted: units, ItemsSent: units * unitRows, ItemsAccepted: units * unitRows, Requests: units * unitRows}
	p.Sent = sender.Result{All: counts, Measured: counts, Seconds: r.sent.at.Sub(r.start.at).Seconds(), Latency: latency, Response: latency}
	r.sum()
	stored, err := recount.Stored(ctx, r.stack.Engine)
	if err != nil {
		return err
	}
	p.Rows = stored.Records
	for _, t := range tables {
		rows, err := clickhouse.Ask[struct{ Rows int64 }](ctx, r.stack.Engine, "SELECT "+rowsOf(t.Name)+" AS rows FROM trackway."+t.Name)
		if err != nil {
			return err
		}
		if want := units * t.Rows; len(rows) != 1 || rows[0].Rows != want {
			r.wrong("rows of %s: want %d, got %+v", t.Name, want, rows)
		}
	}
	return nil
}

// rowsOf counts what was inserted into a table: merges make fewer rows of a
// rollup's, but keep its sums.
func rowsOf(table string) string {
	switch table {
	case "requests", "spans", "events", "journey", "trace_index", "trace_keys":
		return "toInt64(count())"
	}
	return "toInt64(sum(cnt))"
}

// unit has a collector store the rows of a unit, reads back what it inserted into
// each table, and empties the tables.
func (r *run) unit(ctx context.Context, format string) ([]table, error) {
	prepared := *r.arm
	prepared.spec.Workload.Batch, prepared.spec.Connections = unitBatch, unitInFlight
	prepared.spec.MaxBatches, prepared.spec.Warmup, prepared.spec.Duration = unitRows/unitBatch, 0, 300
	source := run{Bench: r.Bench, arm: &prepared, stack: r.stack, point: &report.Point{}}
	if err := source.load(ctx); err != nil {
		return nil, err
	}
	if stored := source.point.Tables.Requests; stored != unitRows {
		return nil, fmt.Errorf("a unit to feed the engine with: want %d rows, got %d", unitRows, stored)
	}
	tables, err := clickhouse.Ask[table](ctx, r.stack.Engine, fedSQL)
	if err != nil {
		return nil, fmt.Errorf("tables that are inserted into: %w", err)
	}
	for i := range tables {
		t := &tables[i]
		answer, err := r.stack.Engine.Post(ctx, fmt.Sprintf("SELECT %s FROM trackway.%s FORMAT %s", t.Columns, t.Name, format))
		if err != nil {
			return nil, err
		}
		t.body, err = io.ReadAll(answer)
		answer.Close()
		if err != nil {
			return nil, fmt.Errorf("rows of %s: %w", t.Name, err)
		}
		rows, err := clickhouse.Ask[struct{ Rows int64 }](ctx, r.stack.Engine, "SELECT "+rowsOf(t.Name)+" AS rows FROM trackway."+t.Name)
		if err != nil || len(rows) != 1 {
			return nil, fmt.Errorf("rows of %s: %w", t.Name, err)
		}
		t.Rows = rows[0].Rows
	}
	emptied, err := clickhouse.Ask[struct{ Name string }](ctx, r.stack.Engine,
		"SELECT name FROM system.tables WHERE database = 'trackway' AND engine LIKE '%MergeTree' AND total_rows > 0 AND name NOT LIKE 'schema_%'")
	if err != nil {
		return nil, err
	}
	for _, t := range emptied {
		if err := r.stack.Engine.Run(ctx, "TRUNCATE TABLE trackway."+t.Name); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// insertUnits inserts as many units as fit into the time.
func (r *run) insertUnits(ctx context.Context, tables []table, format string) (int64, sender.Latency, error) {
	var mu sync.Mutex
	var problem error
	var units atomic.Int64
	histogram := sender.NewHistogram()
	end := time.Now().Add(r.arm.spec.Duration.Duration())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: unitInFlight, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var inserters sync.WaitGroup
	for range unitInFlight {
		inserters.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				begin, unit := time.Now(), units.Add(1)
				for _, t := range tables {
					if err := insert(ctx, client, r.stack.Engine, &t, format, fmt.Sprintf("unit-%d-%s", unit, t.Name)); err != nil {
						mu.Lock()
						problem = errors.Join(problem, err)
						mu.Unlock()
						return
					}
				}
				mu.Lock()
				sender.Record(histogram, time.Since(begin).Microseconds())
				mu.Unlock()
			}
		})
	}
	inserters.Wait()
	return units.Load(), sender.NewLatency(histogram), errors.Join(ctx.Err(), problem)
}

// insert sends the rows of one table, with the settings of the exporter.
func insert(ctx context.Context, client *http.Client, e clickhouse.Endpoint, t *table, format, token string) error {
	parameters := url.Values{
		"query":        {fmt.Sprintf("INSERT INTO trackway.%s (%s) FORMAT %s", t.Name, t.Columns, format)},
		"async_insert": {"0"}, "insert_deduplicate": {"1"}, "insert_deduplication_token": {token},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+"/?"+parameters.Encode(), bytes.NewReader(t.body))
	if err != nil {
		return fmt.Errorf("insert into %s: %w", t.Name, err)
	}
	request.SetBasicAuth(e.User, e.Password)
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("insert into %s: %w", t.Name, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("insert into %s: %s: %.500s", t.Name, response.Status, answer), err)
	}
	return nil
}
