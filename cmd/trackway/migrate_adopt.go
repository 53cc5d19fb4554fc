package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/up"
	"github.com/trackwayhq/trackway/internal/adopt"
	"github.com/trackwayhq/trackway/internal/clickhouse"
)

// Environment of an adoption; secrets never stand on the command line.
const (
	adoptPasswordEnv = "TRACKWAY_ADOPT_PASSWORD"
	ingestKeyEnv     = "TRACKWAY_KEY"
)

func newMigrateAdoptCommand() *cobra.Command {
	var (
		options    adopt.Options
		from, user string
		data       string
		since      time.Duration
	)
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Replay a store of the upstream clickhouseexporter through a collector, and follow it",
		Long: `Reads otel_traces and otel_logs as the upstream clickhouseexporter writes them and
sends them to a Trackway collector as OTLP, so that redaction, correlation keys and
projects apply. It may be stopped at any time, and goes on where it was: nothing is
lost or counted twice. The source's password is taken from ` + adoptPasswordEnv + `,
the ingest key, where the collector wants one, from ` + ingestKeyEnv + `.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				return errors.New("--from: want the ClickHouse HTTP endpoint to read, such as http://clickhouse:8123")
			}
			if options.State == "" {
				if data == "" {
					var err error
					if data, err = up.DefaultDataDir(); err != nil {
						return err
					}
				}
				options.State = filepath.Join(data, "adopt")
			}
			if since > 0 {
				options.Since = time.Now().Add(-since)
			}
			options.From = &clickhouse.Client{URL: from, User: user, Password: os.Getenv(adoptPasswordEnv)}
			options.Key = os.Getenv(ingestKeyEnv)
			report := &adoptReport{out: cmd.OutOrStdout(), tables: map[string]adopt.Progress{}}
			options.Progress = report.update
			err := adopt.Run(cmd.Context(), options)
			if errors.Is(err, context.Canceled) && cmd.Context().Err() != nil {
				err = nil // stopped; it goes on from here
			}
			report.finish()
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", "ClickHouse HTTP endpoint of the store to adopt")
	flags.StringVar(&user, "user", "default", "user at that endpoint")
	flags.StringVar(&options.Database, "database", "otel", "database of its tables")
	flags.StringVar(&options.Traces, "traces", "otel_traces", `table of spans; "" for none`)
	flags.StringVar(&options.Logs, "logs", "otel_logs", `table of log records; "" for none`)
	flags.StringVar(&options.To, "to", "http://127.0.0.1:4318", "the collector's OTLP over HTTP")
	flags.StringVar(&data, "data", "", "data directory whose adopt/ keeps how far it has come (default ~/.local/share/trackway)")
	flags.StringVar(&options.State, "state", "", "directory to keep that in instead")
	flags.IntVar(&options.BatchRows, "batch-rows", adopt.DefaultBatchRows, "rows sent at once, at most")
	flags.IntVar(&options.BatchBytes, "batch-bytes", adopt.DefaultBatchBytes, "bytes sent at once, about")
	flags.Float64Var(&options.Rate, "rate", 0, "rows a second from each table, at most (default: as the collector takes them)")
	flags.DurationVar(&since, "since", 0, "leave out what is older, such as 720h (default: everything)")
	flags.BoolVar(&options.Follow, "follow", false, "go on with what is written meanwhile, until stopped")
	flags.DurationVar(&options.Settle, "settle", adopt.DefaultSettle, "while following, how old a minute is before it is read")
	flags.DurationVar(&options.Lookback, "lookback", adopt.DefaultLookback, "for how long minutes that are done are watched for late rows")
	flags.DurationVar(&options.Poll, "poll", adopt.DefaultPoll, "while following, the pause between looks for new rows")
	return cmd
}

// reportInterval is how often progress is printed.
const reportInterval = 5 * time.Second

// adoptReport prints progress now and then, and at the end.
type adoptReport struct {
	mu     sync.Mutex
	out    io.Writer
	last   time.Time
	tables map[string]adopt.Progress
}

func (r *adoptReport) update(p adopt.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tables[p.Table] = p
	if time.Since(r.last) >= reportInterval {
		r.last = time.Now()
		r.print()
	}
}

func (r *adoptReport) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tables) == 0 {
		fmt.Fprintln(r.out, "nothing new")
	}
	r.print()
}

func (r *adoptReport) print() {
	for _, p := range r.tables {
		fmt.Fprintf(r.out, "%s: %d rows sent, %d of them late, %d rejected; at %s\n", p.Table, p.Rows, p.Late, p.Rejected, p.Minute.Format(time.RFC3339))
		if p.Why != "" {
			fmt.Fprintf(r.out, "%s: the collector says: %s\n", p.Table, p.Why)
		}
	}
}
