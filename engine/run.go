package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/engine/chdb"
	"github.com/trackwayhq/trackway/engine/httpapi"
	"github.com/trackwayhq/trackway/engine/store"
)

// drainTime is how long a stopping engine waits for statements that write;
// those that read are cancelled at once.
const drainTime = 30 * time.Second

// headerTime bounds how long a client may take to send its headers.
const headerTime = 10 * time.Second

// Run serves the data directory until ctx ends, then stops cleanly: no new
// request, writers finish, the engine flushes and leaves its lock. It runs once
// in a process.
func Run(ctx context.Context, options Options) (err error) {
	if options, err = options.withDefaults(); err != nil {
		return err
	}
	if err := lowerPriority(); err != nil {
		return err
	}
	// Before the data is touched: what is missing on this machine is the user's
	// first concern, and must not leave a store marked as in use.
	library, err := chdb.Load(options.Library)
	if err != nil {
		return err
	}
	data, report, err := store.Open(ctx, options.Data, store.Options{})
	if err != nil {
		return err
	}
	options.Log.Info("store opened", "report", report.String(), "library", library.Version(), "memory", options.Memory)
	// With the store's lock in hand the last engine is gone, and its port with it;
	// the engine's files are still untouched, so failing here is a clean end.
	listeners, err := listen(options, data.RunPath())
	if err != nil {
		return errors.Join(err, data.Close())
	}
	defer listeners.close()
	if err := runStore(ctx, options, library, data, listeners); err != nil {
		return errors.Join(err, data.Abandon())
	}
	return data.Close()
}

// runStore runs the engine on an opened store and returns when it has closed its
// files.
func runStore(ctx context.Context, options Options, library *chdb.Library, data *store.Store, listeners listeners) error {
	parts := divide(options.Memory)
	configuration, err := writeConfiguration(data.RunPath(), parts)
	if err != nil {
		return fmt.Errorf("engine: write its configuration: %w", err)
	}
	instance, err := library.Open(append([]string{"--path=" + data.EnginePath(), "--config-file=" + configuration}, parts.settings()...))
	if err != nil {
		return err
	}
	defer instance.Close()
	var warned sync.Once
	syncLogs := func() {
		if err := data.SyncLogs(); err != nil {
			warned.Do(func() { options.Log.Warn("deduplication logs are not synced", "error", err) })
		}
	}
	syncLogs()
	stop := keepSynced(ctx, options, data)
	defer stop() // before the store is closed
	api, err := httpapi.New(instance, httpapi.Options{
		User: options.User, Password: options.Password, MaxConcurrentQueries: parts.ConcurrentQueries, TempDir: data.RunPath(),
		TablesChanged: syncLogs, Log: options.Log,
	})
	if err != nil {
		return err
	}
	defer api.Close()
	return serve(ctx, options, api, listeners)
}

// keepSynced syncs merged parts until the function it gives is called.
func keepSynced(ctx context.Context, options Options, data *store.Store) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the engine merges to its end
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(store.SyncInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if err := data.SyncMerged(); err != nil {
				options.Log.Warn("merged parts are not synced: after a power failure they can be broken", "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// serve answers until ctx ends.
func serve(ctx context.Context, options Options, api *httpapi.Server, listeners listeners) error {
	server := &http.Server{Handler: api, ReadHeaderTimeout: headerTime}
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(listeners.tcp) }()
	info := Info{Listen: listeners.tcp.Addr().String(), Version: api.Version()}
	if listeners.unix != nil {
		info.Socket = listeners.unix.Addr().String()
		go func() { failed <- server.Serve(listeners.unix) }()
	}
	if options.Ready != nil {
		options.Ready(info)
	}
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	api.Stop()
	drained, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drained); err != nil {
		return fmt.Errorf("engine: statements were still running %s after the stop: %w", drainTime, err)
	}
	return nil
}
