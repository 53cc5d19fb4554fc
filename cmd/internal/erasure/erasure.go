package erasure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/erase"
)

// ErrLeft says that something was found after the erasure.
var ErrLeft = errors.New("the value is still there: see the lines that begin with FOUND")

// Options of an erasure.
type Options struct {
	Subject erase.Subject
	Erase   erase.Options
	Store   *clickhouse.Client
	// Socket is the collector's admin socket; "" where there is no collector to ask.
	Socket string
	// Data is the data directory whose files are searched; "" where the store is
	// elsewhere.
	Data string
	// Wait is how long to wait for replaced parts to go from the disk.
	Wait time.Duration
	// DryRun prints what would be sent, and sends nothing that changes anything.
	DryRun bool
	Out    io.Writer
}

// Run erases, in the order in which data moves: what waits in the collector first,
// so that it cannot reach the store behind the deletion.
func Run(ctx context.Context, o Options) error {
	if err := o.Subject.Validate(); err != nil {
		return err
	}
	if o.DryRun {
		return o.dryRun(ctx)
	}
	collector, err := o.collector(ctx)
	if err != nil {
		return err
	}
	plan, err := erase.Plan(ctx, o.Store.Query, o.Subject, o.Erase)
	if err != nil {
		return err
	}
	var total uint64
	err = erase.Apply(ctx, o.Store.Query, plan, func(d erase.Deletion) {
		total += d.Rows
		fmt.Fprintf(o.Out, "erased from %s: %d rows\n", d.Table, d.Rows)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "erased from the store: %d rows of %d tables\n", total, len(plan))
	fmt.Fprintln(o.Out, "counts stay: rollups (lat_*, cnt_*) count requests and know no person")
	return errors.Join(collector, o.prove(ctx))
}

func (o Options) dryRun(ctx context.Context) error {
	plan, err := erase.Plan(ctx, o.Store.Query, o.Subject, o.Erase)
	if err != nil {
		return err
	}
	if o.Socket != "" {
		fmt.Fprintf(o.Out, "-- the collector at %s would be asked to erase from queue, dead letters and journal\n", o.Socket)
	}
	for _, d := range plan {
		fmt.Fprintf(o.Out, "-- %s: %d rows\n", d.Table, d.Rows)
		for _, sql := range d.Statements {
			fmt.Fprintf(o.Out, "%s;\n", sql)
		}
	}
	return nil
}

// projects are those that the collector is asked about, which knows no "all".
func (o Options) projects(ctx context.Context) ([]string, error) {
	if o.Subject.Project != "" {
		return []string{o.Subject.Project}, nil
	}
	var union []string
	for _, table := range []string{"requests", "spans", "events"} {
		union = append(union, fmt.Sprintf("SELECT DISTINCT project FROM %s.%s", o.Erase.Schema.LocalDatabase(), table))
	}
	answer, err := o.Store.Query(ctx, "SELECT DISTINCT project FROM ("+strings.Join(union, " UNION ALL ")+") ORDER BY project")
	if err != nil {
		return nil, fmt.Errorf("reading the projects: %w", err)
	}
	projects := []string{"default"} // of a store that is still empty
	for _, row := range clickhouse.Rows(answer) {
		projects = append(projects, row[0])
	}
	slices.Sort(projects)
	return slices.Compact(projects), nil
}

// collector asks the running collector to erase what it holds. Incomplete is an
// error for the end: the store is erased all the same.
func (o Options) collector(ctx context.Context) (incomplete error, err error) {
	if o.Socket == "" {
		fmt.Fprintln(o.Out, "no collector was asked: give --data of the machine it runs on")
		return nil, nil
	}
	projects, err := o.projects(ctx)
	if err != nil {
		return nil, err
	}
	client := admin.NewClient(o.Socket)
	for _, project := range projects {
		for _, value := range o.Subject.Values {
			var answer struct {
				Erased   []admin.Erased `json:"erased"`
				Complete bool           `json:"complete"`
			}
			err := client.Do(ctx, http.MethodPost, "/erase", admin.Erasure{Project: project, Key: o.Subject.Key, Value: value}, &answer)
			if errors.Is(err, admin.ErrNotRunning) {
				fmt.Fprintln(o.Out, "no collector runs: its files are searched below")
				return nil, nil
			}
			if err != nil {
				return nil, fmt.Errorf("erasing from the collector: %w", err)
			}
			for _, e := range answer.Erased {
				if e.Error != "" {
					fmt.Fprintf(o.Out, "FOUND %s of the collector may still hold it: %s\n", e.Part, e.Error)
				} else if e.Items > 0 {
					fmt.Fprintf(o.Out, "erased from %s of the collector: %d items of project %s\n", e.Part, e.Items, project)
				}
			}
			if !answer.Complete {
				incomplete = ErrLeft
			}
		}
	}
	return incomplete, nil
}

// directories are what of a data directory is searched, with the logs.
func (o Options) directories() []string {
	var out []string
	for _, name := range []string{"store", "journal", "deadletter", "run"} {
		out = append(out, filepath.Join(o.Data, name))
	}
	return out
}
