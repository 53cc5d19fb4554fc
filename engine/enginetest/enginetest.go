// Package enginetest starts the engine for tests of this module, from the test
// binary itself, so that no program has to be built first:
//
//	func TestMain(m *testing.M) { enginetest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		server := enginetest.Start(t)
//		…
//	}
//
// It is the repository's internal/enginetest, whose Server and options it shares,
// with another way to get at a program.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/engine"
	"github.com/trackwayhq/trackway/internal/enginetest"
)

// runEngine in the environment makes Main an engine instead of a test run.
const runEngine = "TRACKWAY_ENGINETEST_RUN"

// Server is a running engine.
type Server = enginetest.Server

// Option changes how Start starts it.
type Option = enginetest.Option

// The options of Start.
var (
	WithDir    = enginetest.WithDir
	WithMemory = enginetest.WithMemory
	WithArgs   = enginetest.WithArgs
)

// Main runs the tests, or in a process that Start started, the engine.
func Main(m *testing.M) {
	if os.Getenv(runEngine) != "" {
		if err := run(); err != nil {
			fmt.Fprintln(os.Stderr, "engine:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Start starts an engine from the test binary, whose TestMain must call Main.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.Start(t, append([]Option{enginetest.WithCommand([]string{program}, runEngine+"=1")}, options...)...)
}

// run is `trackway engine` as far as tests need it.
func run() error {
	var options engine.Options
	flags := flag.NewFlagSet("engine", flag.ContinueOnError)
	flags.StringVar(&options.Data, "data", "", "data directory")
	flags.StringVar(&options.Listen, "listen", "", "TCP address")
	flags.Uint64Var(&options.Memory, "memory", 0, "memory budget in bytes")
	flags.StringVar(&options.Library, "library", "", "libchdb.so")
	flags.BoolVar(&options.AllowRemote, "allow-remote", false, "permit a remote address")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	options.Password = os.Getenv("TRACKWAY_ENGINE_PASSWORD")
	options.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	options.Ready = func(info engine.Info) {
		// An Info always marshals; without the line, Start reports the engine as not ready.
		line, _ := json.Marshal(map[string]any{"ready": true, "listen": info.Listen, "socket": info.Socket, "version": info.Version})
		fmt.Println(string(line))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := engine.Run(ctx, options)
	stop()
	// Whatever a test did, a stopped engine leaves no goroutine behind.
	return errors.Join(err, goleak.Find())
}
