package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/cmd/internal/machine"
)

// Report is everything a run found.
type Report struct {
	StartedAt    time.Time           `json:"started_at"`
	Seconds      float64             `json:"seconds"`
	Command      string              `json:"command"`
	Machine      machine.Machine     `json:"machine"`
	Disk         machine.Disk        `json:"disk"`
	LoadBefore   float64             `json:"load_before"`
	Versions     report.Versions     `json:"versions"`
	Set          *reference.Manifest `json:"set"`
	BytesOnDisk  int64               `json:"bytes_on_disk"`
	Parts        int64               `json:"parts"`
	Results      []*Result           `json:"results"`
	Ingest       *Ingest             `json:"ingest,omitempty"`
	NotAvailable []string            `json:"not_available,omitempty"` // queries whose endpoint this release does not have
	Notes        []string            `json:"notes,omitempty"`
}

// ErrFailed says that answers were wrong, or that a target was missed.
var ErrFailed = errors.New("the benchmark failed")

// verdict is ErrFailed where an answer was wrong, and with gates where a target was
// missed.
func (r *Report) verdict(gates bool) error {
	for _, result := range r.Results {
		if result.Wrong > 0 || gates && result.Passed != nil && !*result.Passed {
			return ErrFailed
		}
	}
	return nil
}

// describe notes what the figures depend on.
func (r *run) describe(ctx context.Context, out *Report) error {
	rows, err := clickhouse.Ask[struct {
		Version      string
		Bytes, Parts int64
	}](ctx, r.stack.Engine, "SELECT version() AS Version, toInt64(sum(bytes_on_disk)) AS Bytes, toInt64(count()) AS Parts FROM system.parts WHERE active AND database = {database:String}")
	if err != nil || len(rows) != 1 {
		return fmt.Errorf("size of the set: %w", err)
	}
	out.BytesOnDisk, out.Parts = rows[0].Bytes, rows[0].Parts
	out.Versions = report.Versions{Trackway: r.options.Version, Engine: rows[0].Version, Go: runtime.Version()}
	return nil
}

// find gives the result of a query in an arm, nil when there is none.
func (r *Report) find(query, arm string) *Result {
	for _, result := range r.Results {
		if result.Query == query && result.Arm == arm {
			return result
		}
	}
	return nil
}

// page is the report as a page.
func (r *Report) page() *report.Page {
	p := &report.Page{
		Title: "trackway bench query",
		Head: [][2]string{
			{"machine", r.Machine.String()},
			{"disk", r.Disk.String()},
			{"load before", fmt.Sprintf("%.2f", r.LoadBefore)},
			{"trackway", r.Versions.Trackway},
			{"engine", "ClickHouse " + r.Versions.Engine},
			{"Go", r.Versions.Go},
			{"set", fmt.Sprintf("%s requests over %d days until %s, seed %d, %s spans, %s events, %s journey rows", grouped(r.Set.Rows), r.Set.Days,
				r.Set.End.Format(time.DateOnly), r.Set.Seed, grouped(r.Set.Inserted["spans"]), grouped(r.Set.Inserted["events"]), grouped(r.Set.Inserted["journey"]))},
			{"on disk", fmt.Sprintf("%.2f GB in %d parts, %.0f bytes a request with all that belongs to it", float64(r.BytesOnDisk)/1e9, r.Parts, float64(r.BytesOnDisk)/float64(r.Set.Rows))},
			{"started", r.StartedAt.Format("2006-01-02 15:04:05 UTC")},
			{"took", fmt.Sprintf("%.0f s", r.Seconds)},
			{"command", r.Command},
		},
		Notes: r.Notes,
	}
	p.Tables = append(p.Tables, r.summary())
	for _, arm := range []struct{ name, note string }{
		{armWarm, "Through the API, with the engine's query condition cache emptied before each question."},
		{armCached, "The same with the query condition cache kept."},
		{armIngest, fmt.Sprintf("Beside ingest and merges; p95 may be %d times the target.", ingestFactor)},
		{armCold, "With every cache of the engine and the page cache emptied before each question; there is no target."},
		{armRaw, "SQL of the rows of requests, spans and events, straight at the engine, warm and without the query condition cache."},
	} {
		if t := r.armTable(arm.name, arm.note); len(t.Rows) > 0 {
			p.Tables = append(p.Tables, t)
		}
	}
	if r.Ingest != nil {
		m := r.Ingest.Sent.Measured
		p.Notes = append(p.Notes, fmt.Sprintf("under ingest: %.0f events/s offered, %.0f/s accepted for %.0f s, %d bodies refused, %d failed, %d unsent, %d merges",
			r.Ingest.Offered, float64(m.ItemsAccepted)/r.Ingest.Sent.Seconds, r.Ingest.Sent.Seconds, m.Refused429+m.Refused503, m.Failed, m.Unsent, r.Ingest.Merges))
	}
	for _, name := range r.NotAvailable {
		p.Notes = append(p.Notes, name+": not available, this release has no such endpoint")
	}
	for _, result := range r.Results {
		if result.Wrong > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%s, %s: %d answers WRONG, such as: %s", result.Query, result.Arm, result.Wrong, result.Sample))
		}
	}
	return p
}

// summary has p95 of all arms side by side.
func (r *Report) summary() report.Table {
	arms := []string{armWarm, armCached, armIngest, armCold, armRaw}
	t := report.Table{
		Title: "p95, ms", Text: 3, Columns: append([]string{"query", "what", "verdict", "target"}, arms...),
		Note: "Targets are for 100 million requests on two cores. The verdict is that of all arms that have a target.",
	}
	for _, q := range Queries() {
		row, some := []string{q.Name, q.About, "", target(q.Target)}, false
		verdict := "-"
		for _, arm := range arms {
			result := r.find(q.Name, arm)
			if result == nil {
				row = append(row, "-")
				continue
			}
			some = true
			row = append(row, ms(result.Latency.P95))
			if result.Passed != nil && verdict != "FAILS" {
				verdict = result.verdict()
			}
			if result.Wrong > 0 {
				verdict = "FAILS"
			}
		}
		row[2] = verdict
		if some {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func (r *Report) armTable(arm, note string) report.Table {
	t := report.Table{
		Title: arm, Note: note, Text: 2,
		Columns: []string{"query", "verdict", "target", "p50", "p95", "p99", "max", "asked", "refused", "wrong", "hits", "rows read", "MB read"},
	}
	for _, x := range r.Results {
		if x.Arm != arm {
			continue
		}
		l := x.Latency
		read, megabytes := "-", "-"
		if x.RowsRead > 0 {
			read, megabytes = grouped(int64(x.RowsRead)), fmt.Sprintf("%.1f", x.BytesRead/1e6)
		}
		t.Rows = append(t.Rows, []string{
			x.Query, x.verdict(), target(x.Target), ms(l.P50), ms(l.P95), ms(l.P99), ms(l.Max), fmt.Sprint(l.Count), fmt.Sprint(x.Refused), fmt.Sprint(x.Wrong),
			grouped(int64(x.Hits)), read, megabytes,
		})
	}
	return t
}

// verdict says whether a result is as it should be.
func (r *Result) verdict() string {
	switch {
	case r.Wrong > 0 || r.Passed != nil && !*r.Passed:
		return "FAILS"
	case r.Passed == nil:
		return "-"
	}
	return "holds"
}

// Markdown is the report as Markdown.
func (r *Report) Markdown() []byte { return r.page().Markdown() }

// HTML is the report as one page that needs nothing else.
func (r *Report) HTML() ([]byte, error) { return r.page().HTML() }

// WriteText prints the report for a terminal.
func (r *Report) WriteText(w io.Writer) error { return r.page().WriteText(w) }

func target(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", v)
}

func ms(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
