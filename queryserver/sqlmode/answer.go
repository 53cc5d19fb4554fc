package sqlmode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// Answer is the result of a statement under way.
type Answer struct {
	ID string
	// Limits are those the statement runs under.
	Limits Limits

	stream  *clickhouse.Stream
	ctx     context.Context
	done    func()
	counter lineCounter
	bytes   uint64
	started time.Time
}

// Stats say what a statement cost.
type Stats struct {
	RowsRead    *uint64 `json:"rows_read,omitempty" doc:"Rows read of the tables. Absent behind a long stream: the store tells it at the beginning only."`
	BytesRead   *uint64 `json:"bytes_read,omitempty" doc:"Bytes read of the tables, uncompressed."`
	Memory      uint64  `json:"memory,omitempty" doc:"Most bytes of memory used in the store, where it tells."`
	ResultRows  uint64  `json:"result_rows"`
	ResultBytes uint64  `json:"result_bytes" doc:"Bytes of the rows as they were sent."`
	ElapsedMS   float64 `json:"elapsed_ms"`
}

// Close ends the statement.
func (a *Answer) Close() error {
	err := a.stream.Close()
	a.done()
	return err
}

// Read gives the next bytes of the rows. Rows or bytes beyond the limits are a *Failure.
func (a *Answer) Read(p []byte) (int, error) {
	n, err := a.stream.Read(p)
	a.counter.count(p[:n])
	a.bytes += uint64(n)
	switch {
	case a.counter.rows() > a.Limits.ResultRows:
		return 0, tooLarge("max_result_rows", a.Limits.ResultRows, "rows")
	case a.bytes > a.Limits.ResultBytes:
		return 0, tooLarge("max_result_bytes", a.Limits.ResultBytes, "bytes")
	case err != nil && !errors.Is(err, io.EOF):
		return n, explain(a.ctx, err, a.Limits)
	}
	return n, err
}

func tooLarge(name string, most uint64, unit string) error {
	return &Failure{Limit: name, Position: -1, Message: fmt.Sprintf("%s: the result has more than %d %s; add a LIMIT or group the rows", name, most, unit)}
}

// Stats gives what is known by now. whole says that the store has told all of it.
func (a *Answer) Stats(whole bool) Stats {
	s := Stats{Memory: a.stream.Memory, ResultRows: a.counter.rows(), ResultBytes: a.bytes, ElapsedMS: float64(time.Since(a.started).Microseconds()) / 1e3}
	if whole {
		s.RowsRead, s.BytesRead = &a.stream.Stats.RowsRead, &a.stream.Stats.BytesRead
	}
	return s
}

// ResultColumn is a column of a result.
type ResultColumn struct {
	Name string `json:"name"`
	Type string `json:"type" doc:"ClickHouse's type."`
}

// Rows reads an answer in JSON to its end: names and types, then every row as a JSON
// array of its values.
func (a *Answer) Rows() ([]ResultColumn, []json.RawMessage, error) {
	r := bufio.NewReaderSize(a, 64<<10)
	var names, types []string
	for _, into := range []*[]string{&names, &types} {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		if err := json.Unmarshal(line, into); err != nil {
			return nil, nil, fmt.Errorf("read the columns of a result: %w", err)
		}
	}
	if len(names) != len(types) {
		return nil, nil, fmt.Errorf("read the columns of a result: %d names, %d types", len(names), len(types))
	}
	columns := make([]ResultColumn, len(names))
	for i := range names {
		columns[i] = ResultColumn{names[i], types[i]}
	}
	rows := []json.RawMessage{}
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			rows = append(rows, json.RawMessage(line))
		}
		if errors.Is(err, io.EOF) {
			return columns, rows, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}
