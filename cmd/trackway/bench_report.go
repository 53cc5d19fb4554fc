package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// stackFlags say what a benchmark starts.
func stackFlags(flags *pflag.FlagSet, configDir, collector, library, memory *string) {
	flags.StringVar(configDir, "config-dir", "", "directory of standalone.yaml and query.yaml (default: config beside this program)")
	flags.StringVar(collector, "collector", "", "the collector program (default: trackway-collector beside this program)")
	flags.StringVar(library, "library", "", "the engine library libchdb.so (default: beside this program)")
	flags.StringVar(memory, "memory", "", "memory budget of the engine, in bytes (default: the engine's)")
}

// benchReport is what a benchmark found, in all its forms.
type benchReport interface {
	WriteText(w io.Writer) error
	Markdown() []byte
	HTML() ([]byte, error)
}

// reportFiles are where a report goes beside standard output; "" for nowhere.
type reportFiles struct{ json, markdown, html string }

func (f *reportFiles) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.json, "json", "", "write the report to this file as JSON")
	flags.StringVar(&f.markdown, "markdown", "", "write the report to this file as Markdown")
	flags.StringVar(&f.html, "html", "", "write the report to this file as one page")
}

// write prints the report and writes the files that were asked for.
func (f *reportFiles) write(cmd *cobra.Command, r benchReport) error {
	problem := r.WriteText(cmd.OutOrStdout())
	write := func(path string, content []byte, err error) {
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		if err != nil {
			problem = errors.Join(problem, fmt.Errorf("report: %w", err))
		}
	}
	if f.json != "" {
		content, err := json.MarshalIndent(r, "", "  ")
		write(f.json, append(content, '\n'), err)
	}
	if f.markdown != "" {
		write(f.markdown, r.Markdown(), nil)
	}
	if f.html != "" {
		content, err := r.HTML()
		write(f.html, content, err)
	}
	return problem
}
