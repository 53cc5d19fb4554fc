package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/journalcmd"
	"github.com/trackwayhq/trackway/cmd/internal/up"
	"github.com/trackwayhq/trackway/internal/journal"
)

func newJournalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Repair the journal of a collector that does not run",
		Args:  noCommand,
		RunE:  help,
	}
	var (
		data     string
		maxBytes int64
	)
	salvage := &cobra.Command{
		Use:   "salvage [DIRECTORY]",
		Short: "Make a journal of what is readable in a damaged one",
		Long: `A collector does not start on a journal in which something that was on disk is
damaged. This copies what is readable to a new journal, puts that in the place of
the damaged one, keeps the damaged one beside it, and prints what was lost and
where. What a lost record deleted comes back and is delivered again: rows of units
that were stored are recognised, others may be stored twice.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				return journalcmd.Salvage(filepath.Clean(args[0]), maxBytes, cmd.OutOrStdout())
			}
			if data == "" {
				if data, err = up.DefaultDataDir(); err != nil {
					return err
				}
			}
			return journalcmd.Salvage(filepath.Join(data, "journal"), maxBytes, cmd.OutOrStdout())
		},
	}
	salvage.Flags().StringVar(&data, "data", "", "data directory with the journal (default ~/.local/share/trackway)")
	salvage.Flags().Int64Var(&maxBytes, "max-bytes", journal.DefaultMaxBytes, "the journal's max_bytes in the collector's configuration")
	cmd.AddCommand(salvage)
	return cmd
}
