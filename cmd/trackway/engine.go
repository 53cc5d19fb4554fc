package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/engine"
)

// Environment of the engine. The password never stands on the command line,
// where every user of the machine could read it.
const (
	enginePasswordEnv = "TRACKWAY_ENGINE_PASSWORD"
	engineLibraryEnv  = "TRACKWAY_LIBCHDB"
)

func newEngineCommand() *cobra.Command {
	var options engine.Options
	command := &cobra.Command{
		Use:   "engine",
		Short: "Run the embedded ClickHouse",
		Long: `Runs the ClickHouse engine on a data directory, behind ClickHouse's HTTP
interface. Clients present user "default" and the password in ` + enginePasswordEnv + `.
When it answers, it prints one line of JSON with its address.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.Password = os.Getenv(enginePasswordEnv)
			options.Log = slog.Default()
			if options.Library == "" {
				options.Library = engineLibrary()
			}
			options.Ready = func(info engine.Info) {
				line, err := json.Marshal(map[string]any{"ready": true, "listen": info.Listen, "socket": info.Socket, "version": info.Version})
				if err == nil {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", line)
				}
				if err != nil {
					slog.Error("print the ready line", "error", err)
				}
			}
			return engine.Run(cmd.Context(), options)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.Data, "data", "", "data directory")
	flags.StringVar(&options.Listen, "listen", "127.0.0.1:8123", "TCP address; port 0 picks a free one")
	flags.Uint64Var(&options.Memory, "memory", 0, "memory budget in bytes (default: a quarter of the machine's, at least 1 GiB)")
	flags.StringVar(&options.Library, "library", "", "libchdb.so (default: "+engineLibraryEnv+", else beside this program)")
	flags.BoolVar(&options.AllowRemote, "allow-remote", false, "permit an address that other machines can reach")
	return command
}

// engineLibrary is where the library lies when no flag says otherwise.
func engineLibrary() string {
	if path := os.Getenv(engineLibraryEnv); path != "" {
		return path
	}
	program, err := os.Executable()
	if err != nil {
		return "libchdb.so"
	}
	return filepath.Join(filepath.Dir(program), "libchdb.so")
}
