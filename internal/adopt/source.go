package adopt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/clickhouse"
)

// column is a part of a row: its name in the answer, the expression that gives
// it, and the column of the table that must be there for that.
type column struct{ name, expression, needs string }

// source is one table of the store that is adopted.
type source struct {
	client *clickhouse.Client
	table  string // quoted, with its database
	selected,
	hash string // expressions
}

// openSource looks which columns a table has: those that an older release of the
// upstream exporter did not write are left out.
func openSource(ctx context.Context, client *clickhouse.Client, database, table string, columns []column) (*source, error) {
	answer, err := client.Query(ctx, fmt.Sprintf("SELECT name FROM system.columns WHERE database = %s AND table = %s AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')",
		clickhouse.String(database), clickhouse.String(table)))
	if err != nil {
		return nil, fmt.Errorf("reading the columns of %s.%s: %w", database, table, err)
	}
	have := map[string]bool{}
	for _, row := range clickhouse.Rows(answer) {
		have[row[0]] = true
	}
	if !have["Timestamp"] {
		return nil, fmt.Errorf("table %s.%s: not there, or without a column Timestamp; --traces and --logs name the tables", database, table)
	}
	s := &source{client: client, table: clickhouse.Identifier(database) + "." + clickhouse.Identifier(table)}
	var selected, hashed []string
	for _, c := range columns {
		if have[c.needs] {
			selected = append(selected, c.expression+" AS "+clickhouse.Identifier(c.name))
			hashed = append(hashed, "toString("+c.needs+")")
		}
	}
	s.selected = strings.Join(selected, ", ")
	s.hash = "sipHash64(" + strings.Join(hashed, ", ") + ")"
	return s, nil
}

// next gives the first minute from a time on that has rows, ok = false when there
// is none before the end.
func (s *source) next(ctx context.Context, from, end time.Time) (minute time.Time, ok bool, err error) {
	answer, err := s.client.Query(ctx, fmt.Sprintf("SELECT count(), toUnixTimestamp(toStartOfMinute(min(Timestamp), 'UTC')) FROM %s WHERE %s", s.table, between(from, end)))
	if err != nil {
		return minute, false, fmt.Errorf("looking for rows in %s: %w", s.table, err)
	}
	rows, at, err := twoNumbers(answer)
	if err != nil || rows == 0 {
		return minute, false, err
	}
	return time.Unix(at, 0).UTC(), true, nil
}

// counts gives the number of rows of each minute.
func (s *source) counts(ctx context.Context, from, end time.Time) (map[time.Time]int64, error) {
	answer, err := s.client.Query(ctx, fmt.Sprintf("SELECT toUnixTimestamp(toStartOfMinute(Timestamp, 'UTC')) AS minute, count() FROM %s WHERE %s GROUP BY minute",
		s.table, between(from, end)))
	if err != nil {
		return nil, fmt.Errorf("counting rows of %s: %w", s.table, err)
	}
	out := map[time.Time]int64{}
	for _, row := range clickhouse.Rows(answer) {
		minute, rows, err := twoNumbers(strings.Join(row, "\t"))
		if err != nil {
			return nil, err
		}
		out[time.Unix(minute, 0).UTC()] = rows
	}
	return out, nil
}

func twoNumbers(answer string) (a, b int64, err error) {
	first, second, _ := strings.Cut(strings.TrimSpace(answer), "\t")
	if a, err = strconv.ParseInt(first, 10, 64); err == nil {
		b, err = strconv.ParseInt(second, 10, 64)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("want two numbers, got %q", answer)
	}
	return a, b, nil
}

// between is the condition for a span of time.
func between(from, end time.Time) string {
	return fmt.Sprintf("Timestamp >= fromUnixTimestamp64Nano(%d, 'UTC') AND Timestamp < fromUnixTimestamp64Nano(%d, 'UTC')", from.UnixNano(), end.UnixNano())
}

// rows calls each with every row of a minute, by time and hash: the order is the
// same whenever the same rows are there. line is valid during the call.
func (s *source) rows(ctx context.Context, minute time.Time, each func(hash uint64, line []byte) error) error {
	sql := fmt.Sprintf("SELECT toString(%s) AS RowHash, %s FROM %s WHERE %s ORDER BY Timestamp, RowHash FORMAT JSONEachRow",
		s.hash, s.selected, s.table, between(minute, minute.Add(time.Minute)))
	body, err := s.client.Stream(ctx, sql, map[string]string{
		"output_format_json_quote_64bit_integers": "0", "output_format_json_escape_forward_slashes": "0", "max_bytes_before_external_sort": "268435456",
	})
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.table, err)
	}
	defer body.Close()
	in := bufio.NewReaderSize(body, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", s.table, err)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		var head struct{ RowHash string }
		if err := json.Unmarshal(line, &head); err != nil {
			return fmt.Errorf("reading %s: an exception came after the first rows: %.300s", s.table, line)
		}
		hash, err := strconv.ParseUint(head.RowHash, 10, 64)
		if err != nil {
			return fmt.Errorf("reading %s: hash of a row: %w", s.table, err)
		}
		if err := each(hash, line); err != nil {
			return err
		}
	}
}
