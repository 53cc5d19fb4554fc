package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/pause"
)

// Defaults of Options.
const (
	DefaultBatchRows  = 1000
	DefaultBatchBytes = 4 << 20
	DefaultSettle     = time.Minute
	DefaultLookback   = 24 * time.Hour
	DefaultPoll       = 5 * time.Second
)

// Options of an adoption.
type Options struct {
	From     *clickhouse.Client
	Database string
	Traces   string // table of spans; "" for none
	Logs     string // table of log records; "" for none
	To       string // OTLP over HTTP, http://host:4318
	Key      string // ingest key, "" for none
	// State is the directory of cursors and of what was sent.
	State string
	// BatchRows and BatchBytes bound a batch, and with it what is held in memory;
	// bytes are those of rows as JSON.
	BatchRows, BatchBytes int
	// Rate bounds the rows sent in a second, of each table; 0 is no limit.
	Rate float64
	// Since leaves out older rows where nothing was adopted before.
	Since time.Time
	// Follow goes on with what is written meanwhile, until the context ends.
	Follow bool
	// Settle is how old a minute is before it is read while following.
	Settle time.Duration
	// Lookback is for how long minutes that are done are watched for late rows.
	Lookback time.Duration
	// Poll is the pause between looks for new rows.
	Poll time.Duration
	// Progress is told of every minute that was done; nil for none.
	Progress func(Progress)
}

// Progress is what has become of a table's rows.
type Progress struct {
	Table    string
	Minute   time.Time // that was done
	Rows     int64     // sent by this process
	Rejected int64     // of these, those that the collector did not take
	Why      string    // of the last rejection
	Late     int64     // rows that came to a minute that had been done
}

// Run adopts until everything is done, or, following, until ctx ends. It may be
// stopped and started again at any time with the same state directory.
func Run(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer client.CloseIdleConnections()
	g, ctx := errgroup.WithContext(ctx)
	for _, table := range []struct {
		name, path string
		columns    []column
		encode     func([][]byte) ([]byte, error)
		rejected   func([]byte) (int64, string)
	}{
		{o.Traces, "/v1/traces", tracesColumns, encodeTraces, rejectedSpans},
		{o.Logs, "/v1/logs", logsColumns, encodeLogs, rejectedLogs},
	} {
		if table.name == "" {
			continue
		}
		source, err := openSource(ctx, o.From, o.Database, table.name, table.columns)
		if err != nil {
			return err
		}
		a := &adoption{
			o: o, table: table.name, source: source, encode: table.encode, progress: Progress{Table: table.name},
			sender: &sender{url: strings.TrimRight(o.To, "/") + table.path, key: o.Key, http: client, rejected: table.rejected, rate: o.Rate},
		}
		g.Go(func() error { return a.run(ctx) })
	}
	return g.Wait()
}

// adoption is that of one table.
type adoption struct {
	o        Options
	table    string
	source   *source
	sender   *sender
	encode   func([][]byte) ([]byte, error)
	progress Progress
}

func (a *adoption) run(ctx context.Context) error {
	next, err := loadCursor(a.o.State, a.table)
	if err != nil {
		return err
	}
	if next.IsZero() {
		next = a.o.Since.Truncate(time.Minute)
	}
	for {
		now, err := a.now(ctx)
		if err != nil {
			return err
		}
		end := now.Add(-a.o.Settle).Truncate(time.Minute)
		if !a.o.Follow {
			end = now.Add(24 * time.Hour) // rows of a clock that is ahead too
		}
		if next, err = a.forward(ctx, next, end, now); err != nil {
			return err
		}
		if err := a.late(ctx, now.Add(-a.o.Lookback).Truncate(time.Minute), next); err != nil {
			return err
		}
		if !a.o.Follow {
			return nil
		}
		if err := pause.For(ctx, a.o.Poll); err != nil {
			return err
		}
	}
}

// now is the source's time.
func (a *adoption) now(ctx context.Context) (time.Time, error) {
	answer, err := a.o.From.Query(ctx, "SELECT toUnixTimestamp(now()), 0")
	if err != nil {
		return time.Time{}, fmt.Errorf("the store's time: %w", err)
	}
	at, _, err := twoNumbers(answer)
	return time.Unix(at, 0).UTC(), err
}

// forward adopts minute after minute and gives the first that is not done.
func (a *adoption) forward(ctx context.Context, next, end, now time.Time) (time.Time, error) {
	if next.IsZero() {
		next = time.Unix(0, 0).UTC()
	}
	for {
		minute, ok, err := a.source.next(ctx, next, end)
		if err != nil || !ok {
			return next, err
		}
		if err := a.minute(ctx, minute, false); err != nil {
			return next, err
		}
		next = minute.Add(time.Minute)
		if err := saveCursor(a.o.State, a.table, next); err != nil {
			return next, err
		}
		if err := prune(a.o.State, a.table, now.Add(-a.o.Lookback).Truncate(time.Minute)); err != nil {
			return next, err
		}
	}
}

// late adopts rows that came to minutes that had been done.
func (a *adoption) late(ctx context.Context, from, next time.Time) error {
	if !from.Before(next) {
		return nil
	}
	counts, err := a.source.counts(ctx, from, next)
	if err != nil {
		return err
	}
	for minute, rows := range counts {
		sent, err := sentRows(a.o.State, a.table, minute)
		if err != nil {
			return err
		}
		if rows > sent {
			if err := a.minute(ctx, minute, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// sentRows is how many rows of a minute were answered.
func sentRows(dir, table string, minute time.Time) (int64, error) {
	if _, err := os.Stat(windowPath(dir, table, minute)); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	w, err := openWindow(dir, table, minute)
	if err != nil {
		return 0, err
	}
	return w.rows, w.close()
}

// minute sends what of a minute was not sent before.
func (a *adoption) minute(ctx context.Context, minute time.Time, late bool) (err error) {
	w, err := openWindow(a.o.State, a.table, minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for len(w.pending) > 0 {
		if err := a.repeat(ctx, w, w.pending[0]); err != nil {
			return err
		}
	}
	before := a.progress.Rows
	b := batch{}
	sent := maps.Clone(w.sent) // as of now: what follows is not read again
	seen := map[uint64]int{}
	err = a.source.rows(ctx, minute, func(hash uint64, line []byte) error {
		// Rows that are the same in every column are told apart by their number.
		if seen[hash]++; seen[hash] <= sent[hash] {
			return nil
		}
		b.add(hash, line)
		if len(b.lines) < a.o.BatchRows && b.bytes < a.o.BatchBytes {
			return nil
		}
		return a.flush(ctx, w, &b)
	})
	if err == nil && len(b.lines) > 0 {
		err = a.flush(ctx, w, &b)
	}
	if err != nil {
		return err
	}
	if late {
		a.progress.Late += a.progress.Rows - before
	}
	a.progress.Minute = minute
	if a.o.Progress != nil {
		a.o.Progress(a.progress)
	}
	return nil
}

// batch gathers rows.
type batch struct {
	hashes []uint64
	lines  [][]byte
	bytes  int
}

func (b *batch) add(hash uint64, line []byte) {
	b.hashes = append(b.hashes, hash)
	b.lines = append(b.lines, append([]byte(nil), line...))
	b.bytes += len(line)
}

// flush writes a batch down and sends it.
func (a *adoption) flush(ctx context.Context, w *window, b *batch) error {
	id, err := w.begin(b.hashes)
	if err != nil {
		return err
	}
	if err := a.deliver(ctx, w, id, b.lines); err != nil {
		return err
	}
	*b = batch{}
	return nil
}

// repeat sends a batch that has no answer again: the same rows, under its id.
func (a *adoption) repeat(ctx context.Context, w *window, e entry) error {
	want := map[uint64]int{}
	for _, hash := range e.Rows {
		want[hash]++
	}
	var lines [][]byte
	err := a.source.rows(ctx, w.minute, func(hash uint64, line []byte) error {
		if want[hash] > 0 {
			want[hash]--
			lines = append(lines, append([]byte(nil), line...))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.deliver(ctx, w, e.ID, lines)
}

func (a *adoption) deliver(ctx context.Context, w *window, id string, lines [][]byte) error {
	if len(lines) > 0 {
		body, err := a.encode(lines)
		if err != nil {
			return err
		}
		rejected, why, err := a.sender.send(ctx, id, body, len(lines))
		if err != nil {
			return err
		}
		a.progress.Rows += int64(len(lines))
		if rejected > 0 {
			a.progress.Rejected += rejected
			a.progress.Why = why
		}
	}
	return w.done(id)
}
