package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/queryserver"
)

func newQueryCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Run the query server: API and UI",
		Long:  "Serves the API and the UI. When it answers, it prints one line of JSON with its address.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := queryserver.LoadConfig(cmd.Context(), path)
			if err != nil {
				return err
			}
			return queryserver.Run(cmd.Context(), config, func(addr string) {
				fmt.Fprintf(cmd.OutOrStdout(), "{\"ready\":true,\"listen\":%q}\n", addr)
			})
		},
	}
	cmd.Flags().StringVar(&path, "config", "config/query.yaml", "configuration file")
	return cmd
}
