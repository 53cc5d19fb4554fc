package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/bench"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
)

func newBenchIngestCommand() *cobra.Command {
	options := bench.Options{Version: version}
	var list bool
	var files reportFiles
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Measure the way in: throughput, latency, CPU, memory, and that every row is stored once",
		Long: `Starts engine, collector and senders on a fresh data directory for every point,
measures, waits until everything accepted is stored, and recounts it. Something
lost, doubled or answered as it must not be fails the command. Without --scenario it
runs those that take minutes: ` + strings.Join(bench.Default, ", ") + `.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return listScenarios(cmd)
			}
			options.Log = cmd.ErrOrStderr()
			options.Command = "trackway " + strings.Join(os.Args[1:], " ")
			r, err := bench.Run(cmd.Context(), options)
			if r == nil || len(r.Points) == 0 {
				return err
			}
			if wrote := files.write(cmd, r); wrote != nil {
				return errors.Join(err, wrote)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&options.Scenarios, "scenario", nil, "what to measure, by name: see --list")
	flags.BoolVar(&list, "list", false, "list the scenarios")
	flags.Float64Var(&options.Seconds, "seconds", 0, "measured at each point (default: the scenario's own)")
	flags.Float64Var(&options.Warmup, "warmup", -1, "seconds before that (default: the scenario's own)")
	flags.IntVar(&options.Repeat, "repeat", 1, "runs of each point; figures are medians")
	flags.Uint64Var(&options.Seed, "seed", 1, "what decides everything that is sent but the times")
	flags.Float64Var(&options.Rate, "rate", 0, "items a second of open loops (default: the scenario's own)")
	flags.BoolVar(&options.Gates, "gates", false, "compare with the limits that a release must keep, and fail where one is passed")
	flags.StringVar(&options.Dir, "data", "", "directory on a disk, below which data directories are made (default: that of temporary files)")
	stackFlags(flags, &options.ConfigDir, &options.Collector, &options.Library, &options.Memory)
	flags.StringVar(&options.Profile, "profile", "", "directory for a CPU profile of the collector at each point, for go tool pprof")
	files.flags(flags)
	return cmd
}

func listScenarios(cmd *cobra.Command) error {
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, s := range bench.Scenarios() {
		fmt.Fprintf(out, "%s\t%s\n", s.Name, s.About)
	}
	return out.Flush()
}

// newBenchSenderCommand is the process that `bench ingest` sends from.
func newBenchSenderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "sender",
		Short:  "Send what a specification on stdin says, for bench ingest",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sender.Main(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
