package erase

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
)

// Searched is what the proof has read of one table.
type Searched struct {
	Table   string
	Columns []string
	Rows    uint64
	// Found is how many rows still have the value in a text.
	Found uint64
	// Where names the columns it was found in.
	Where []string
}

// Prove searches every text of every table for the value, in all its forms, rows
// that are marked as deleted included.
func Prove(ctx context.Context, query Query, s Subject, o schema.Options) ([]Searched, error) {
	found, err := tables(ctx, query, o)
	if err != nil {
		return nil, err
	}
	pattern := clickhouse.String(s.pattern())
	var out []Searched
	for _, t := range found {
		if len(t.texts) == 0 {
			continue
		}
		counts := []string{"count()"}
		for _, c := range t.texts {
			counts = append(counts, "countIf("+textMatches(clickhouse.Identifier(c), t.columns[c], pattern)+")")
		}
		counts = append(counts, "countIf("+t.mentions(s)+")")
		where := scoped(t, s, "1")
		answer, err := query(ctx, fmt.Sprintf("SELECT %s FROM %s.%s WHERE %s SETTINGS apply_deleted_mask = 0, log_queries = 0",
			strings.Join(counts, ", "), o.LocalDatabase(), t.name, where))
		if err != nil {
			return nil, fmt.Errorf("searching %s: %w", t.name, err)
		}
		numbers, err := parseNumbers(answer, len(counts))
		if err != nil {
			return nil, fmt.Errorf("searching %s: %w", t.name, err)
		}
		r := Searched{Table: t.name, Columns: t.texts, Rows: numbers[0], Found: numbers[len(numbers)-1]}
		for i, c := range t.texts {
			if numbers[i+1] > 0 {
				r.Where = append(r.Where, c)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

func parseNumbers(answer string, want int) ([]uint64, error) {
	fields := strings.Split(strings.TrimSpace(answer), "\t")
	if len(fields) != want {
		return nil, fmt.Errorf("want %d numbers, got %q", want, answer)
	}
	out := make([]uint64, want)
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// pollInterval is how often AwaitRemoval looks.
const pollInterval = 500 * time.Millisecond

// AwaitRemoval waits until the parts that deletions have replaced are gone from
// the disk: the server keeps them for some minutes. It gives how many are left
// when ctx ends before.
func AwaitRemoval(ctx context.Context, query Query, o schema.Options) (left int, err error) {
	// Only what is replaced by now matters; merges go on replacing parts.
	names, err := inactive(ctx, query, o)
	if err != nil {
		return 0, err
	}
	for {
		now, err := inactive(ctx, query, o)
		if err != nil {
			return len(names), err
		}
		left = 0
		for name := range names {
			if now[name] {
				left++
			}
		}
		if left == 0 {
			return 0, nil
		}
		select {
		case <-ctx.Done():
			return left, nil
		case <-time.After(pollInterval):
		}
	}
}

func inactive(ctx context.Context, query Query, o schema.Options) (map[string]bool, error) {
	answer, err := query(ctx, "SELECT concat(table, ' ', name) FROM system.parts WHERE database = '"+o.LocalDatabase()+"' AND NOT active")
	if err != nil {
		return nil, fmt.Errorf("reading the parts: %w", err)
	}
	out := map[string]bool{}
	for _, row := range clickhouse.Rows(strings.TrimSuffix(answer, "\n")) {
		out[row[0]] = true
	}
	return out, nil
}
