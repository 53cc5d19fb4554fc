package main

import (
	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/up"
)

// defaultDemoRate is what a bare --demo means, in requests a second.
const defaultDemoRate = "20"

func newUpCommand() *cobra.Command {
	options := up.Options{Version: version, Addresses: up.DefaultAddresses()}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run everything on this machine",
		Long: `Starts the engine, the collector and the query server, restarts any of them that
ends, and stops all of them in order on Ctrl-C. Everything listens on loopback
unless told otherwise; an address flag takes host:port or a port, and port 0 takes
a free one.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.Out, options.Log = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if options.DataDir == "" {
				dir, err := up.DefaultDataDir()
				if err != nil {
					return err
				}
				options.DataDir = dir
			}
			return up.Run(cmd.Context(), options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.DataDir, "data", "", "data directory (default ~/.local/share/trackway)")
	flags.StringVar(&options.ConfigDir, "config-dir", "", "directory of standalone.yaml and query.yaml (default: config beside this program)")
	flags.StringVar(&options.Collector, "collector", "", "the collector program (default: trackway-collector beside this program)")
	flags.StringVar(&options.Library, "library", "", "the engine library libchdb.so (default: beside this program)")
	flags.StringVar(&options.Memory, "memory", "", "memory budget of the engine, in bytes (default: the engine's)")
	flags.StringVar(&options.DiskBudget, "disk-budget", "", "how much the store may take, such as 200GiB, or 80% of the disk; beyond it the oldest days are dropped (default: no bound)")
	flags.Float64Var(&options.DemoRate, "demo", 0, "send demo traffic, so many requests a second")
	flags.Lookup("demo").NoOptDefVal = defaultDemoRate
	flags.BoolVar(&options.Verbose, "verbose", false, "copy the logs of all parts to stderr")
	flags.BoolVar(&options.JSON, "json", false, "when ready, print one JSON line instead of text")

	addresses := &options.Addresses
	for _, f := range []struct {
		name, usage string
		addr        *string
	}{
		{"listen", "address of the API and the UI", &addresses.Query},
		{"otlp-grpc", "address for OTLP over gRPC", &addresses.OTLPGRPC},
		{"otlp-http", "address for OTLP over HTTP", &addresses.OTLPHTTP},
		{"ndjson", "address for NDJSON", &addresses.NDJSON},
		{"engine-listen", "address of the engine's ClickHouse HTTP interface", &addresses.Engine},
		{"live-tail", "address of the collector's live tail", &addresses.LiveTail},
		{"health", "address of the collector's health check", &addresses.Health},
	} {
		flags.Var(&addressFlag{f.addr}, f.name, f.usage)
	}
	return cmd
}

// addressFlag is a flag that takes host:port, :port or port.
type addressFlag struct{ addr *string }

func (f *addressFlag) String() string { return *f.addr }
func (f *addressFlag) Type() string   { return "address" }

func (f *addressFlag) Set(value string) error {
	addr, err := up.ParseAddress(value)
	if err != nil {
		return err
	}
	*f.addr = addr
	return nil
}
