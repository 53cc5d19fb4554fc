package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/internal/schema/budget"
)

func newMigrateBudgetCommand() *cobra.Command {
	var (
		store  storeFlags
		limit  string
		dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Drop the oldest partitions until the store is within a disk budget",
		Long: `Drops whole days, oldest first, from all tables of raw records together, until the
store takes no more than --limit: bytes such as 200GiB for the tables, or how full
the disk may be, such as 80%. Today's records stay. The exporter's disk_budget does
the same by itself.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			parsed, err := budget.ParseLimit(limit)
			if err == nil && parsed.IsZero() {
				err = errors.New("--limit: want bytes such as 200GiB, or how full the disk may be, such as 80%")
			}
			if err != nil {
				return err
			}
			client, options, err := store.open(cmd.Context())
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if dryRun {
				plan, err := budget.Make(cmd.Context(), client.Query, options, parsed)
				if err != nil {
					return err
				}
				for _, d := range plan.Drops {
					fmt.Fprintf(out, "%s; -- %d rows, %s, last day %s\n", d.SQL, d.Rows, budget.FormatBytes(d.Bytes), d.LastDay.Format(time.DateOnly))
				}
				writeBudget(out, plan, "would be dropped")
				return nil
			}
			plan, err := budget.Apply(cmd.Context(), client.Query, options, parsed, func(d budget.Drop) {
				fmt.Fprintf(out, "dropped %s of %s: %d rows, %s\n", d.Partition, d.Table, d.Rows, budget.FormatBytes(d.Bytes))
			})
			if err != nil {
				return err
			}
			writeBudget(out, plan, "dropped")
			return nil
		},
	}
	store.add(cmd.Flags())
	cmd.Flags().StringVar(&limit, "limit", "", "the budget: bytes such as 200GiB, or how full the disk may be, such as 80%")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be sent, and change nothing")
	return cmd
}

func writeBudget(out io.Writer, plan budget.Plan, verb string) {
	fmt.Fprintf(out, "-- used %s of %s; %d partitions %s\n", budget.FormatBytes(plan.Used), budget.FormatBytes(plan.Limit), len(plan.Drops), verb)
	if plan.Short > 0 {
		fmt.Fprintf(out, "-- still %s over: what is left is today's\n", budget.FormatBytes(plan.Short))
	}
}
