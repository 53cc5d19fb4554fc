package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/bench/query"
)

func newBenchQueryCommand() *cobra.Command {
	options := query.Options{Version: version}
	var (
		rows  string
		list  bool
		files reportFiles
	)
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Measure the way out: every reference query on a set of up to hundreds of millions of requests",
		Long: `Builds a reference set in --data, or goes on with one that is there, and keeps it.
Then starts engine, query server and collector on a copy of it that shares its
files, and asks.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if list {
				return listQueries(cmd)
			}
			options.Log = cmd.ErrOrStderr()
			options.Command = "trackway " + strings.Join(os.Args[1:], " ")
			if options.Rows, err = query.ParseRows(rows); err != nil {
				return err
			}
			r, err := query.Run(cmd.Context(), options)
			if r == nil {
				return err
			}
			return errors.Join(err, files.write(cmd, r))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.Dir, "data", "", "directory on a disk for the reference set, which is kept")
	flags.StringVar(&rows, "rows", "2M", "requests of the set, such as 100M")
	flags.Uint64Var(&options.Seed, "seed", 1, "what decides the set and what is asked")
	flags.BoolVar(&options.BuildOnly, "build-only", false, "build the set and measure nothing")
	flags.DurationVar(&options.BuildLimit, "build-limit", 0, "stop building after this time; the same command goes on (default: no limit)")
	flags.BoolVar(&options.Optimize, "optimize", false, "merge each partition of the set into one part at the end of the build")
	flags.StringSliceVar(&options.Only, "query", nil, "what to ask, by name: see --list (default: everything)")
	flags.BoolVar(&list, "list", false, "list the queries and their targets")
	flags.IntVar(&options.Repeat, "repeat", 40, "times that each query is asked warm, with other literals each time")
	flags.IntVar(&options.RawRepeat, "raw-repeat", 5, "times that the engine is asked the same without the planner")
	flags.IntVar(&options.ColdRepeat, "cold-repeat", 5, "times that each query is asked with all caches dropped")
	flags.Float64Var(&options.UnderIngest, "under-ingest", 0, "events a second to send while everything is asked once more; 0 sends none")
	flags.Float64Var(&options.Minutes, "minutes", 10, "minutes of ingest")
	flags.BoolVar(&options.Verify, "verify", false, "make the whole set again to count what every filter must find (default: for small sets)")
	flags.BoolVar(&options.Gates, "gates", false, "fail where a target is missed")
	stackFlags(flags, &options.ConfigDir, &options.Collector, &options.Library, &options.Memory)
	files.flags(flags)
	return cmd
}

func listQueries(cmd *cobra.Command) error {
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, q := range query.Queries() {
		fmt.Fprintf(out, "%s\t%.0f ms\t%s\n", q.Name, q.Target, q.About)
	}
	return out.Flush()
}
