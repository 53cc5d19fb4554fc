package size

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

//go:embed sql/rows.sql
var rowsSQL string

// Rows counts what a database holds of each kind of record.
type Rows struct {
	Version  string `json:"version"` // of ClickHouse
	Requests int64  `json:"requests"`
	Spans    int64  `json:"spans"`
	Events   int64  `json:"events"`
}

// Count reads the numbers of rows. Tables that do not exist yet hold none.
func Count(ctx context.Context, e clickhouse.Endpoint) (Rows, error) {
	rows, err := clickhouse.Ask[Rows](ctx, e, rowsSQL)
	if err != nil {
		return Rows{}, fmt.Errorf("numbers of rows: %w", err)
	}
	if len(rows) != 1 {
		return Rows{}, fmt.Errorf("numbers of rows: want one row, got %d", len(rows))
	}
	return rows[0], nil
}
