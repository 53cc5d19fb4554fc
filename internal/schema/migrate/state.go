package migrate

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/internal/schema"
)

// Query runs one statement at the store and gives its TabSeparated answer.
type Query func(ctx context.Context, sql string) (string, error)

// state is what a store says about its schema.
type state struct {
	// version is the highest recorded one, 0 where there is no schema.
	version int
	// checksums are those of the recorded steps, by version; empty where a row has
	// none, as that of the first release.
	checksums map[int]string
}

// read asks a store for its state. It asks the system tables first, so that a
// store without schema is no error.
func read(ctx context.Context, query Query, o schema.Options) (state, error) {
	s := state{checksums: map[int]string{}}
	columns, err := query(ctx, columnsQuery(o))
	if err != nil {
		return s, fmt.Errorf("reading the schema's version: %w", err)
	}
	if strings.TrimSpace(columns) == "" {
		return s, nil
	}
	checksum := "''"
	for name := range strings.SplitSeq(strings.TrimSpace(columns), "\n") {
		if name == "checksum" {
			checksum = "checksum"
		}
	}
	answer, err := query(ctx, "SELECT version, any("+checksum+") FROM "+schema.VersionTable(o)+" GROUP BY version ORDER BY version")
	if err != nil {
		return s, fmt.Errorf("reading the schema's version: %w", err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(answer), "\n") {
		number, sum, _ := strings.Cut(line, "\t")
		if number == "" {
			continue // none recorded
		}
		if s.version, err = strconv.Atoi(number); err != nil {
			return s, fmt.Errorf("reading the schema's version: want a number, got %q", number)
		}
		s.checksums[s.version] = sum
	}
	return s, nil
}

// columnsQuery asks for the columns of the version table, of which there are none
// where the table is not.
func columnsQuery(o schema.Options) string {
	database, table, _ := strings.Cut(schema.VersionTable(o), ".")
	return "SELECT name FROM system.columns WHERE database = '" + database + "' AND table = '" + table + "'"
}
