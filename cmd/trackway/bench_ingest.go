package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/bench"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
)

func newBenchIngestCommand() *cobra.Command {
	options := bench.Options{Version: version}
	var (
		list                         bool
		jsonFile, markdown, htmlFile string
	)
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
			if wrote := writeReport(cmd, r, jsonFile, markdown, htmlFile); wrote != nil {
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
	flags.StringVar(&options.ConfigDir, "config-dir", "", "directory of standalone.yaml and query.yaml (default: config beside this program)")
	flags.StringVar(&options.Collector, "collector", "", "the collector program (default: trackway-collector beside this program)")
	flags.StringVar(&options.Library, "library", "", "the engine library libchdb.so (default: beside this program)")
	flags.StringVar(&options.Memory, "memory", "", "memory budget of the engine, in bytes (default: the engine's)")
	flags.StringVar(&options.Profile, "profile", "", "directory for a CPU profile of the collector at each point, for go tool pprof")
	flags.StringVar(&jsonFile, "json", "", "write the report to this file as JSON")
	flags.StringVar(&markdown, "markdown", "", "write the report to this file as Markdown")
	flags.StringVar(&htmlFile, "html", "", "write the report to this file as one page with plots")
	return cmd
}

func listScenarios(cmd *cobra.Command) error {
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, s := range bench.Scenarios() {
		fmt.Fprintf(out, "%s\t%s\n", s.Name, s.About)
	}
	return out.Flush()
}

// benchReport is what a benchmark found, in all its forms.
type benchReport interface {
	WriteText(w io.Writer) error
	Markdown() []byte
	HTML() ([]byte, error)
}

// writeReport prints the report and writes the files that were asked for.
func writeReport(cmd *cobra.Command, r benchReport, jsonFile, markdown, htmlFile string) error {
	problem := r.WriteText(cmd.OutOrStdout())
	write := func(path string, content []byte, err error) {
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		if err != nil {
			problem = errors.Join(problem, fmt.Errorf("report: %w", err))
		}
	}
	if jsonFile != "" {
		content, err := json.MarshalIndent(r, "", "  ")
		write(jsonFile, append(content, '\n'), err)
	}
	if markdown != "" {
		write(markdown, r.Markdown(), nil)
	}
	if htmlFile != "" {
		content, err := r.HTML()
		write(htmlFile, content, err)
	}
	return problem
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
