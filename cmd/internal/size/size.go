package size

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

//go:embed sql/tables.sql
var tablesSQL string

//go:embed sql/indexes.sql
var indexesSQL string

//go:embed sql/columns.sql
var columnsSQL string

// Table is one table's share of the disk.
type Table struct {
	Name       string `json:"name"`
	Group      string `json:"group"` // records, journey, trace index, rollups, facets or other
	Rows       int64  `json:"rows"`
	Bytes      int64  `json:"bytes"`       // on disk, indexes included
	IndexBytes int64  `json:"index_bytes"` // skipping indexes
	Parts      int64  `json:"parts"`
}

// Index is one skipping index; its bytes are contained in its table's.
type Index struct {
	Table string `json:"table"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int64  `json:"bytes"`
}

// Column is one column of a table; its bytes are contained in its table's.
type Column struct {
	Table string `json:"table"`
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Report is what a store takes on disk.
type Report struct {
	Requests int64    `json:"requests"` // rows of the table requests
	Bytes    int64    `json:"bytes"`    // of all tables
	Tables   []Table  `json:"tables"`
	Indexes  []Index  `json:"indexes"`
	Columns  []Column `json:"columns"`
}

// Measure reads the sizes. With merge it first has every table merged into one
// part per partition, as it is some time after the last insert, which makes
// figures of two runs comparable.
func Measure(ctx context.Context, e clickhouse.Endpoint, merge bool) (Report, error) {
	var r Report
	tables, err := clickhouse.Ask[Table](ctx, e, tablesSQL)
	if err != nil {
		return r, fmt.Errorf("sizes of tables: %w", err)
	}
	if merge {
		for _, t := range tables {
			if err := optimize(ctx, e, t.Name); err != nil {
				return r, err
			}
		}
		if tables, err = clickhouse.Ask[Table](ctx, e, tablesSQL); err != nil {
			return r, fmt.Errorf("sizes of tables: %w", err)
		}
	}
	if r.Indexes, err = clickhouse.Ask[Index](ctx, e, indexesSQL); err != nil {
		return r, fmt.Errorf("sizes of indexes: %w", err)
	}
	if r.Columns, err = clickhouse.Ask[Column](ctx, e, columnsSQL); err != nil {
		return r, fmt.Errorf("sizes of columns: %w", err)
	}
	for i := range tables {
		tables[i].Group = group(tables[i].Name)
		r.Bytes += tables[i].Bytes
		if tables[i].Name == "requests" {
			r.Requests = tables[i].Rows
		}
	}
	r.Tables = tables
	return r, nil
}

// optimize merges the parts of one table. The engine answers when it is done.
func optimize(ctx context.Context, e clickhouse.Endpoint, table string) error {
	if err := e.Run(ctx, fmt.Sprintf("OPTIMIZE TABLE %s.%s FINAL", quote(e.Database), quote(table))); err != nil {
		return fmt.Errorf("merging %s: %w", table, err)
	}
	return nil
}

// quote makes an identifier of any name.
func quote(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// group says what a table is for.
func group(table string) string {
	switch {
	case table == "requests", table == "spans", table == "events":
		return "records"
	case table == "journey", table == "facets":
		return table
	case table == "trace_index", table == "trace_keys":
		return "trace index"
	case strings.HasPrefix(table, "lat_"), strings.HasPrefix(table, "cnt_"):
		return "rollups"
	}
	return "other"
}

// perRequest divides bytes by the number of requests.
func (r Report) perRequest(bytes int64) float64 {
	if r.Requests == 0 {
		return 0
	}
	return float64(bytes) / float64(r.Requests)
}

// WriteText prints the report; columns adds the columns of the records' tables.
func (r Report) WriteText(w io.Writer, columns bool) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "table\tfor\trows\tbytes\tparts\tB/row\tB/request\t\n")
	groups, order := map[string]int64{}, []string{}
	for _, t := range r.Tables {
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%.1f\t%.1f\t\n",
			t.Name, t.Group, t.Rows, t.Bytes, t.Parts, float64(t.Bytes)/float64(max(t.Rows, 1)), r.perRequest(t.Bytes))
		if _, seen := groups[t.Group]; !seen {
			order = append(order, t.Group)
		}
		groups[t.Group] += t.Bytes
	}
	fmt.Fprint(out, "\nall of\t\t\tbytes\t\t\tB/request\t\n")
	for _, g := range order {
		fmt.Fprintf(out, "%s\t\t\t%d\t\t\t%.1f\t\n", g, groups[g], r.perRequest(groups[g]))
	}
	fmt.Fprintf(out, "everything\t\t\t%d\t\t\t%.1f\t\n", r.Bytes, r.perRequest(r.Bytes))
	fmt.Fprint(out, "\nindex\ttype\t\tbytes\t\t\tB/request\t\n")
	for _, i := range r.Indexes {
		fmt.Fprintf(out, "%s.%s\t%s\t\t%d\t\t\t%.1f\t\n", i.Table, i.Name, i.Type, i.Bytes, r.perRequest(i.Bytes))
	}
	if columns {
		fmt.Fprint(out, "\ncolumn\t\t\tbytes\t\t\tB/request\t\n")
		for _, c := range r.Columns {
			if group(c.Table) == "records" || c.Table == "journey" {
				fmt.Fprintf(out, "%s.%s\t\t\t%d\t\t\t%.1f\t\n", c.Table, c.Name, c.Bytes, r.perRequest(c.Bytes))
			}
		}
	}
	fmt.Fprintf(out, "\n%d requests; bytes of indexes and columns are contained in those of their tables\n", r.Requests)
	return out.Flush()
}
