package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/schema/migrate"
)

func newMigrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of a store to this release, or another store's data to this one",
		Args:  noCommand,
		RunE:  help,
	}
	cmd.AddCommand(newMigratePlanCommand(), newMigrateApplyCommand(), newMigrateBudgetCommand(), newMigrateAdoptCommand())
	return cmd
}

func newMigratePlanCommand() *cobra.Command {
	var store storeFlags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Print the statements that `migrate apply` would send",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return planMigration(cmd.Context(), store, cmd.OutOrStdout())
		},
	}
	store.add(cmd.Flags())
	return cmd
}

func newMigrateApplyCommand() *cobra.Command {
	var (
		store  storeFlags
		dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Create the schema, or upgrade it to this release",
		Long: `Creates the tables, or upgrades those of an older release; nothing is done to a
store that is up to date. Collectors do the same when they start, unless
create_schema is off. A lock in the store lets one process at a time do it, and
what was interrupted is started anew.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if dryRun {
				return planMigration(cmd.Context(), store, out)
			}
			client, options, err := store.open(cmd.Context())
			if err != nil {
				return err
			}
			plan, err := migrate.Apply(cmd.Context(), client.Query, options, func(s migrate.Statement) {
				fmt.Fprintf(out, "step %s: %s\n", s.Step, s.Name)
			})
			if err != nil {
				return err
			}
			if plan.UpToDate() {
				fmt.Fprintf(out, "database %s is up to date at version %d\n", plan.Database, plan.Have)
				return nil
			}
			fmt.Fprintf(out, "database %s is at version %d now (before: %d)\n", plan.Database, plan.Want, plan.Have)
			return nil
		},
	}
	store.add(cmd.Flags())
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be sent, as `migrate plan` does")
	return cmd
}

// open gives the client of the store and the options its schema is rendered with.
func (f *storeFlags) open(ctx context.Context) (*clickhouse.Client, schema.Options, error) {
	options := f.options()
	client, err := f.client()
	if err != nil {
		return nil, options, err
	}
	release, err := client.Query(ctx, "SELECT version()")
	if err != nil {
		return nil, options, err
	}
	options.NoTextIndex = !schema.HasTextIndex(release)
	return client, options, nil
}

// planMigration prints statements as they would be sent, and what they belong to
// as comments, so that the output can be executed.
func planMigration(ctx context.Context, store storeFlags, out io.Writer) error {
	client, options, err := store.open(ctx)
	if err != nil {
		return err
	}
	plan, err := migrate.Make(ctx, client.Query, options)
	if err != nil {
		return err
	}
	if plan.UpToDate() {
		fmt.Fprintf(out, "-- database %s is up to date at version %d: nothing would be sent\n", plan.Database, plan.Have)
		return nil
	}
	locks, err := schema.LockStatements(options)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "-- database %s: from version %d to %d\n\n-- the lock\n", plan.Database, plan.Have, plan.Want)
	for _, s := range locks {
		fmt.Fprintf(out, "%s;\n", s.SQL)
	}
	step := ""
	for _, s := range plan.Statements {
		if s.Step != step {
			step = s.Step
			fmt.Fprintf(out, "\n-- step %s\n", step)
		}
		fmt.Fprintf(out, "%s;\n", s.SQL)
	}
	return nil
}
