package main

import (
	"github.com/spf13/cobra"

	deadlettercmd "github.com/trackwayhq/trackway/cmd/internal/deadletter"
	"github.com/trackwayhq/trackway/cmd/internal/up"
	"github.com/trackwayhq/trackway/internal/deadletter"
)

func newDeadLetterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deadletter",
		Short: "List, show, replay and drop what the store refused for good",
		Long: `What the store refuses for good is kept in the data directory, with the reason.
The commands work through a running collector, or on the files when none runs;
replaying needs a running one.`,
		Args: noCommand,
		RunE: help,
	}
	var where deadlettercmd.Where
	flags := cmd.PersistentFlags()
	flags.StringVar(&where.Data, "data", "", "data directory (default ~/.local/share/trackway)")
	flags.StringVar(&where.Exporter, "exporter", "clickhouse_rollup", "the exporter's name in the collector's configuration")
	// in gives the data directory its default.
	in := func(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, args []string) (err error) {
			if where.Data == "" {
				if where.Data, err = up.DefaultDataDir(); err != nil {
					return err
				}
			}
			return run(cmd, args)
		}
	}

	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List dead letters and places that cannot be read",
		Args:  cobra.NoArgs,
		RunE: in(func(cmd *cobra.Command, _ []string) error {
			return deadlettercmd.List(cmd.Context(), where, cmd.OutOrStdout(), asJSON)
		}),
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	show := &cobra.Command{
		Use:   "show ID",
		Short: "Print a dead letter and the records in it as JSON",
		Args:  cobra.ExactArgs(1),
		RunE: in(func(cmd *cobra.Command, args []string) error {
			return deadlettercmd.Show(cmd.Context(), where, cmd.OutOrStdout(), args[0])
		}),
	}
	var replayed, dropped deadletter.Selection
	replay := &cobra.Command{
		Use:   "replay [ID...]",
		Short: "Offer dead letters to the store again",
		RunE: in(func(cmd *cobra.Command, args []string) error {
			replayed.IDs = args
			return deadlettercmd.Replay(cmd.Context(), where, cmd.OutOrStdout(), replayed)
		}),
	}
	replay.Flags().BoolVar(&replayed.All, "all", false, "all of them")
	drop := &cobra.Command{
		Use:   "drop [ID...]",
		Short: "Give dead letters up for good",
		RunE: in(func(cmd *cobra.Command, args []string) error {
			dropped.IDs = args
			return deadlettercmd.Drop(cmd.Context(), where, cmd.OutOrStdout(), dropped)
		}),
	}
	drop.Flags().BoolVar(&dropped.All, "all", false, "all of them")
	drop.Flags().BoolVar(&dropped.Damaged, "damaged", false, "the places that cannot be read")
	cmd.AddCommand(list, show, replay, drop)
	return cmd
}
