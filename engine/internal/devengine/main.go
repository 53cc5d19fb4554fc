// Command devengine runs the engine alone, for tests of this module.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/trackwayhq/trackway/engine"
)

func main() {
	var o engine.Options
	flag.StringVar(&o.Data, "data", "", "data directory")
	flag.StringVar(&o.Listen, "listen", "127.0.0.1:0", "TCP address")
	flag.Uint64Var(&o.Memory, "memory", 0, "bytes")
	flag.StringVar(&o.Library, "library", os.Getenv("TRACKWAY_LIBCHDB"), "libchdb.so")
	flag.BoolVar(&o.AllowRemote, "allow-remote", false, "permit a remote address")
	flag.Parse()
	o.Password = os.Getenv("TRACKWAY_ENGINE_PASSWORD")
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	o.Ready = func(i engine.Info) {
		line, _ := json.Marshal(map[string]any{"ready": true, "listen": i.Listen, "socket": i.Socket, "version": i.Version})
		fmt.Println(string(line))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := engine.Run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
}
