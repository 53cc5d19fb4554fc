package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/doctor"
	"github.com/trackwayhq/trackway/cmd/internal/up"
)

func newDoctorCommand() *cobra.Command {
	var (
		store    storeFlags
		o        doctor.Options
		from, to string
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything received is accounted for, and mend rollups",
		Long: `Compares the delivery ledger with the sending queue, the dead letters and the rows
in the store, and rollups, facets, journeys and the trace index with the rows they
come from: in the range of --from and --to, where a unit of insert is in doubt, and
in some hours at random. Exits with status 1 if something does not add up.

With --data it asks the collector that runs on that directory; with --endpoint it
looks at any ClickHouse endpoint, and without --data at no collector.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			now := time.Now()
			if o.From, err = parseTime("--from", from, now); err != nil {
				return err
			}
			if o.To, err = parseTime("--to", to, now); err != nil {
				return err
			}
			if !o.From.Before(o.To) {
				return fmt.Errorf("--from: want a time before --to, got %s", from)
			}
			if o.Store, err = store.client(); err != nil {
				return err
			}
			o.Database, o.Data = store.database, store.data
			if o.Data == "" && store.endpoint == "" {
				if o.Data, err = up.DefaultDataDir(); err != nil {
					return err
				}
			}
			report, err := doctor.Check(cmd.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				err = encoder.Encode(report)
			} else {
				report.Print(cmd.OutOrStdout())
			}
			if err == nil && !report.OK() {
				err = doctor.ErrMismatch
			}
			return err
		},
	}
	flags := cmd.Flags()
	store.add(flags)
	flags.StringVar(&o.Exporter, "exporter", "clickhouse_rollup", "the exporter's name in the collector's configuration")
	flags.StringVar(&from, "from", "1h", "compare what is derived from rows since then: RFC 3339, or how long ago")
	flags.StringVar(&to, "to", "0s", "until then")
	flags.IntVar(&o.Sample, "sample", 4, "how many further hours to compare, chosen at random")
	flags.BoolVar(&o.Repair, "repair", false, "mend rollups, facets, journeys and trace index")
	flags.BoolVar(&o.WriteOff, "write-off", false, "note in the ledger that items and rows that are missing are lost")
	flags.DurationVar(&o.Settle, "settle", 15*time.Second, "how long to look again at what differs, since units are stored table by table")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// parseTime reads RFC 3339, or how long before now.
func parseTime(flag, s string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(s); err == nil {
		return now.Add(-ago), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, fmt.Errorf("%s: want a time such as 2026-11-30T12:00:00Z, or how long ago such as 24h, got %q", flag, s)
	}
	return t, nil
}
