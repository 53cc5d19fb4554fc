package storelock

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// last gives the newest generation of a lock, the zero claim when there is none.
func (t Table) last(ctx context.Context, name string) (claim, error) {
	if t.Replicated {
		if _, err := t.Query(ctx, syncStatement(t.Name)); err != nil {
			return claim{}, fmt.Errorf("reading lock %q: %w", name, err)
		}
	}
	answer, err := t.Query(ctx, lastStatement(t.Name, name))
	if err != nil {
		return claim{}, fmt.Errorf("reading lock %q: %w", name, err)
	}
	if answer = strings.TrimSpace(answer); answer == "" {
		return claim{}, nil
	}
	fields := strings.Split(answer, "\t")
	if len(fields) != 4 {
		return claim{}, fmt.Errorf("reading lock %q: want 4 columns, got %q", name, answer)
	}
	generation, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil {
		return claim{}, fmt.Errorf("reading lock %q: generation: %w", name, err)
	}
	age, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		return claim{}, fmt.Errorf("reading lock %q: age: %w", name, err)
	}
	return claim{generation: generation, owner: fields[1], released: fields[2] == "1", age: time.Duration(age) * time.Millisecond}, nil
}

// insert adds a row to a generation. Rows of one generation and purpose are
// stored once, whoever comes first.
func (t Table) insert(ctx context.Context, name string, generation uint64, owner string, released bool, purpose string) error {
	_, err := t.Query(ctx, insertStatement(t.Name, name, generation, owner, released, purpose))
	return err
}

func syncStatement(table string) string { return "SYSTEM SYNC REPLICA " + table }

func lastStatement(table, name string) string {
	return fmt.Sprintf("SELECT generation, any(owner), max(released), dateDiff('millisecond', max(at), now64(3, 'UTC')) "+
		"FROM %s WHERE name = '%s' GROUP BY generation ORDER BY generation DESC LIMIT 1", table, name)
}

func insertStatement(table, name string, generation uint64, owner string, released bool, purpose string) string {
	bit := 0
	if released {
		bit = 1
	}
	return fmt.Sprintf("INSERT INTO %s (name, generation, owner, released) "+
		"SETTINGS async_insert = 0, insert_deduplicate = 1, insert_deduplication_token = '%s-%d-%s' VALUES ('%s', %d, '%s', %d)",
		table, name, generation, purpose, name, generation, owner, bit)
}
