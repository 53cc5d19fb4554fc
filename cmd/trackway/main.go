package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set when the program is linked: -ldflags "-X main.version=v1.2.3".
var version = "dev"

func main() {
	os.Exit(run())
}

// run executes the command line and returns the exit status: 0 done or stopped
// by a signal, 1 failed. The first SIGINT, SIGTERM or SIGHUP ends the context so that
// commands stop cleanly. A second SIGINT ends the process at once, a second
// SIGTERM does not: when `up` is killed, the kernel may send its children the
// parent-death signal once for each of its threads.
func run() int {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })

	if err := newRootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "trackway:", err)
		return 1
	}
	return 0
}

// stopSignals are the signals that stop a command. A terminal that closes sends
// SIGHUP; under nohup it is ignored, and stays so.
func stopSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "trackway",
		Short:         "Every request as one wide, searchable row",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          help,

		PersistentPreRunE: checkFlags,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("trackway {{.Version}}\n")
	root.AddCommand(
		newUpCommand(),
		newEngineCommand(),
		newQueryCommand(),
		newProjectCommand(),
		newKeyCommand(),
		newTokenCommand(),
		newDemoCommand(),
		newBenchCommand(),
		newMigrateCommand(),
		newEraseCommand(),
		newDeadLetterCommand(),
		newJournalCommand(),
		newDoctorCommand(),
		newVersionCommand(),
	)
	return root
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "trackway", version)
			return err
		},
	}
}
