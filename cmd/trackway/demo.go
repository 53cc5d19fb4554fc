package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/cmd/internal/demo"
	"github.com/trackwayhq/trackway/cmd/internal/size"
	"github.com/trackwayhq/trackway/internal/admin"
)

// maxSeconds is the longest load: a day.
const maxSeconds = 86400

func newDemoCommand() *cobra.Command {
	var (
		live     demo.LiveOptions
		load     demo.LoadOptions
		loadMode bool
		seconds  float64
		mix      string
		jsonFile string
		data     string
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Send realistic traffic",
		Long: `Sends the traffic of a generic SaaS API to an NDJSON endpoint until Ctrl-C, after
--backfill-hours of history if asked for. With --load it measures instead: it sends
prepared bodies for --seconds and prints throughput and latency.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := demo.CheckURL(live.URL); err != nil {
				return fmt.Errorf("--url: %w", err)
			}
			if !loadMode {
				return runLive(cmd, live)
			}
			load.URL, load.Seed, load.Log = live.URL, live.Seed, cmd.ErrOrStderr()
			if !(seconds > 0 && seconds <= maxSeconds) { // NaN neither
				return fmt.Errorf("--seconds: want more than 0 and at most %d, got %g", maxSeconds, seconds)
			}
			load.Duration = time.Duration(seconds * float64(time.Second))
			var err error
			if load.Mix, err = workload.ParseMix(mix); err != nil {
				return fmt.Errorf("--mix: %w", err)
			}
			return runLoad(cmd, load, data, jsonFile)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&live.URL, "url", "http://127.0.0.1:4319", "base of the NDJSON endpoint")
	flags.Uint64Var(&live.Seed, "seed", 1, "what decides everything but the times")
	flags.Float64Var(&live.Rate, "rate", 20, "requests a second on average, along a daily curve")
	flags.Float64Var(&live.BackfillHours, "backfill-hours", 0, "hours of history to send first")
	flags.Float64Var(&live.BackfillRate, "backfill-rate", 5, "requests a second of the history")
	flags.StringVar(&live.StoryFile, "story", "", "file that keeps what happens when: a run that finds it goes on, without history")
	flags.BoolVar(&loadMode, "load", false, "measure instead of imitating")
	flags.IntVar(&load.Concurrency, "concurrency", 8, "load: connections")
	flags.IntVar(&load.BatchSize, "batch-size", 500, "load: items a request")
	flags.Float64Var(&seconds, "seconds", 30, "load: length of the run")
	flags.Float64Var(&load.TargetEPS, "target-eps", 0, "load: items a second to offer (open loop); 0 sends when answered (closed loop)")
	flags.StringVar(&mix, "mix", "", "load: requests:spans:events, such as 1:4:1 (default requests only)")
	flags.StringVar(&data, "data", "", "load: data directory of the running `up`, to count what was stored")
	flags.StringVar(&jsonFile, "json", "", "load: write the report to this file as JSON")
	return cmd
}

func runLive(cmd *cobra.Command, options demo.LiveOptions) error {
	if err := options.Validate(); err != nil {
		return err
	}
	options.Log = cmd.ErrOrStderr()
	options.Ready = func() { fmt.Fprintln(cmd.OutOrStdout(), `{"ready":true}`) }
	totals, err := demo.Live(cmd.Context(), options)
	fmt.Fprintf(cmd.ErrOrStderr(), "sent %d requests; %d items accepted, %d rejected, %d failed, %d retries\n",
		totals.Requests, totals.Accepted, totals.Rejected, totals.Failed, totals.Retries)
	return err
}

// runLoad measures. With the data directory of a running `up` it also counts the
// rows that the load added: what was accepted must be there.
func runLoad(cmd *cobra.Command, options demo.LoadOptions, data, jsonFile string) error {
	var endpoint clickhouse.Endpoint
	var before size.Rows
	if data != "" {
		url, password, err := runningEngine(data)
		if err != nil {
			return err
		}
		endpoint = clickhouse.Endpoint{URL: url, User: "default", Password: password, Database: "trackway"}
		if err := awaitStored(cmd.Context(), data); err != nil {
			return err
		}
		if before, err = size.Count(cmd.Context(), endpoint); err != nil {
			return err
		}
	}
	report, err := demo.Load(cmd.Context(), options)
	if err != nil {
		return err
	}
	report.Version = version
	if data != "" {
		if err := awaitStored(cmd.Context(), data); err != nil {
			return err
		}
		after, err := size.Count(cmd.Context(), endpoint)
		if err != nil {
			return err
		}
		report.Stored = &demo.Stored{
			Engine: after.Version, Requests: after.Requests - before.Requests,
			Spans: after.Spans - before.Spans, Events: after.Events - before.Events,
		}
	}
	if err := report.WriteText(cmd.OutOrStdout()); err != nil {
		return err
	}
	if jsonFile != "" {
		content, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := os.WriteFile(jsonFile, append(content, '\n'), 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	if report.BatchesAccepted == 0 {
		return nothingAccepted(report)
	}
	return nil
}

// storeStall is how long the sending queue may stand still before it is no longer
// waited for.
const storeStall = time.Minute

// awaitStored waits until the collector of a data directory has stored what it
// accepted: an answer means that it is in the journal. One without an admin socket
// is not waited for.
func awaitStored(ctx context.Context, data string) error {
	client := admin.NewClient(filepath.Join(data, "run", "collector.sock"))
	last, moved := -1, time.Now()
	for {
		var queues []struct {
			Deliveries int `json:"deliveries"`
		}
		err := client.Do(ctx, http.MethodGet, "/pending", nil, &queues)
		if errors.Is(err, admin.ErrNotRunning) {
			return nil
		}
		if err != nil {
			return err
		}
		waiting := 0
		for _, q := range queues {
			waiting += q.Deliveries
		}
		switch {
		case waiting == 0:
			return nil
		case waiting != last:
			last, moved = waiting, time.Now()
		case time.Since(moved) > storeStall:
			return fmt.Errorf("%d deliveries wait in the collector's queue and none was stored for %s: does the engine answer? See %s", waiting, storeStall, filepath.Join(data, "run", "collector.log"))
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// nothingAccepted says why a load came to nothing, as far as the endpoint did.
func nothingAccepted(report demo.Report) error {
	switch {
	case len(report.ErrorSamples) > 0 && report.BatchesAnswered > 0:
		return fmt.Errorf("nothing was accepted: %s", report.ErrorSamples[0])
	case len(report.ErrorSamples) > 0:
		return fmt.Errorf("%s accepted nothing: is the collector running there? Name another endpoint with --url (%s)", report.URL, report.ErrorSamples[0])
	case report.BatchesRefused > 0:
		return fmt.Errorf("%s accepted nothing: it refused every body with 429 or 503, for want of room", report.URL)
	}
	return fmt.Errorf("%s accepted nothing in the time given: make --seconds longer or --batch-size smaller", report.URL)
}
