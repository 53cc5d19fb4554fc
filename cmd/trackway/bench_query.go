package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/bench/query"
)

func newBenchQueryCommand() *cobra.Command {
	options := query.Options{Version: version}
	rows := ""
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Measure the way out: every reference query on a set of up to hundreds of millions of requests",
		Long: `Builds a reference set in --data, or goes on with one that is there, and keeps it.
Then starts engine, query server and collector on a copy of it that shares its
files, and asks.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			options.Log = cmd.ErrOrStderr()
			options.Command = "trackway " + strings.Join(os.Args[1:], " ")
			if options.Rows, err = query.ParseRows(rows); err != nil {
				return err
			}
			return query.Run(cmd.Context(), options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.Dir, "data", "", "directory on a disk for the reference set, which is kept")
	flags.StringVar(&rows, "rows", "2M", "requests of the set, such as 100M")
	flags.Uint64Var(&options.Seed, "seed", 1, "what decides the set and what is asked")
	flags.BoolVar(&options.BuildOnly, "build-only", false, "build the set and measure nothing")
	flags.DurationVar(&options.BuildLimit, "build-limit", 0, "stop building after this time; the same command goes on (default: no limit)")
	flags.BoolVar(&options.Optimize, "optimize", false, "merge each partition of the set into one part at the end of the build")
	flags.Float64Var(&options.Minutes, "minutes", 10, "minutes of ingest")
	flags.StringVar(&options.Library, "library", "", "the engine library libchdb.so (default: beside this program)")
	flags.StringVar(&options.Memory, "memory", "", "memory budget of the engine, in bytes (default: the engine's)")
	return cmd
}
