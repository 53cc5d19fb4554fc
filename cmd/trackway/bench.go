package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/cmd/internal/size"
	"github.com/trackwayhq/trackway/cmd/internal/up"
)

func newBenchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure",
		Args:  noCommand,
		RunE:  help,
	}
	cmd.AddCommand(newBenchIngestCommand(), newBenchQueryCommand(), newBenchSizeCommand(), newBenchSenderCommand())
	return cmd
}

func newBenchSizeCommand() *cobra.Command {
	var (
		data           string
		endpoint       clickhouse.Endpoint
		merge, columns bool
		jsonOut        bool
	)
	cmd := &cobra.Command{
		Use:   "size",
		Short: "Print bytes per request on disk, by table, index, journey and rollup",
		Long: `Reads the sizes of all tables from the engine of a running "trackway up", or from
any ClickHouse endpoint with --endpoint, --user and the password in
TRACKWAY_CLICKHOUSE_PASSWORD.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if endpoint.URL == "" {
				var err error
				if endpoint.URL, endpoint.Password, err = runningEngine(data); err != nil {
					return err
				}
			} else {
				endpoint.Password = os.Getenv("TRACKWAY_CLICKHOUSE_PASSWORD")
			}
			report, err := size.Measure(cmd.Context(), endpoint, merge)
			if err != nil {
				return err
			}
			if jsonOut {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(report)
			}
			return report.WriteText(cmd.OutOrStdout(), columns)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&data, "data", "", "data directory of the running `up` (default ~/.local/share/trackway)")
	flags.StringVar(&endpoint.URL, "endpoint", "", "ClickHouse HTTP endpoint to ask instead")
	flags.StringVar(&endpoint.User, "user", "default", "user at the endpoint")
	flags.StringVar(&endpoint.Database, "database", "trackway", "database to measure")
	flags.BoolVar(&merge, "merge", false, "merge all parts first, for figures that can be compared")
	flags.BoolVar(&columns, "columns", false, "print the columns of records and journey too")
	flags.BoolVar(&jsonOut, "json", false, "print JSON")
	return cmd
}

// runningEngine finds the engine that `trackway up` runs on a data directory.
func runningEngine(data string) (url, password string, err error) {
	if data == "" {
		if data, err = up.DefaultDataDir(); err != nil {
			return "", "", err
		}
	}
	status, err := up.ReadStatus(data)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("no `trackway up` runs on data directory %s: start one, or name another with --data", data)
	}
	if err != nil {
		return "", "", err
	}
	secret, err := os.ReadFile(filepath.Join(data, up.PasswordFile))
	if err != nil {
		return "", "", fmt.Errorf("engine password: %w", err)
	}
	return status.URLs.Engine, strings.TrimSpace(string(secret)), nil
}
