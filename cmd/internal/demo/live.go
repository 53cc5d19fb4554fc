package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Shape of what the live mode sends.
const (
	flushInterval = 250 * time.Millisecond // how late live traffic may arrive
	maxBodyItems  = 1000
	progressEvery = 30 * time.Second
)

// LiveOptions configures Live.
type LiveOptions struct {
	URL  string // base of the NDJSON endpoint
	Seed uint64
	Rate float64 // requests a second on average, along the daily curve

	BackfillHours float64 // history to send first; 0 is none
	BackfillRate  float64 // its requests a second, along the daily curve

	Log   io.Writer // progress
	Ready func()    // called when live traffic begins
}

// Totals is what a live run has sent.
type Totals struct {
	Requests, Items, Accepted, Rejected, Retries int
}

// Live sends history, if any, as fast as it is taken, and then live traffic
// until ctx ends, which is not an error.
func Live(ctx context.Context, o LiveOptions) (Totals, error) {
	now := time.Now()
	history := time.Duration(o.BackfillHours * float64(time.Hour))
	start := now.Add(-history)
	l := &liveRun{
		options: o,
		gen:     NewGenerator(o.Seed, NewStory(start, history)),
		sender:  NewSender(o.URL, 4),
		run:     now.UnixNano(),
	}
	defer l.sender.Close()

	err := l.backfill(ctx, start, now)
	if err == nil {
		o.Ready()
		err = l.follow(ctx, now)
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return l.totals, err
}

type liveRun struct {
	options LiveOptions
	gen     *Generator
	sender  *Sender
	run     int64 // tells the batch ids of this run from those of others

	totals  Totals
	batches int
	body    []byte
	items   int // in body
}

// backfill sends the traffic between two times.
func (l *liveRun) backfill(ctx context.Context, from, to time.Time) error {
	if !from.Before(to) || l.options.BackfillRate <= 0 {
		return nil
	}
	began := time.Now()
	fmt.Fprintf(l.options.Log, "sending %.1f hours of history\n", l.options.BackfillHours)
	for t := l.gen.NextArrival(from, l.options.BackfillRate); t.Before(to); t = l.gen.NextArrival(t, l.options.BackfillRate) {
		if err := l.add(ctx, t); err != nil {
			return err
		}
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	fmt.Fprintf(l.options.Log, "history sent: %d requests, %d items in %s\n",
		l.totals.Requests, l.totals.Items, time.Since(began).Round(time.Millisecond))
	return nil
}

// follow sends traffic as its time comes.
func (l *liveRun) follow(ctx context.Context, from time.Time) error {
	fmt.Fprintf(l.options.Log, "sending live traffic, %g requests a second on average, to %s\n", l.options.Rate, l.sender.url)
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	progress := time.Now()
	next := l.gen.NextArrival(from, l.options.Rate)
	for {
		// What a refusal or a sleeping machine held up is sent late, not dropped.
		for now := time.Now(); next.Before(now); next = l.gen.NextArrival(next, l.options.Rate) {
			if err := l.add(ctx, next); err != nil {
				return err
			}
		}
		if err := l.flush(ctx); err != nil {
			return err
		}
		if time.Since(progress) >= progressEvery {
			progress = time.Now()
			fmt.Fprintf(l.options.Log, "%d requests, %d items accepted\n", l.totals.Requests, l.totals.Accepted)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add puts the trace that ends at t into the body, and sends a full body.
func (l *liveRun) add(ctx context.Context, t time.Time) error {
	items := l.gen.Trace(t)
	for i := range items {
		if items[i].Type == "request" {
			l.totals.Requests++
		}
		var err error
		if l.body, err = items[i].AppendLine(l.body); err != nil {
			return err
		}
	}
	l.items += len(items)
	if l.items >= maxBodyItems {
		return l.flush(ctx)
	}
	return nil
}

func (l *liveRun) flush(ctx context.Context) error {
	if l.items == 0 {
		return nil
	}
	l.batches++
	id := fmt.Sprintf("demo-%d-%d", l.run, l.batches)
	answer, err := l.sender.SendUntilAccepted(ctx, l.body, id, func(err error) {
		l.totals.Retries++
		fmt.Fprintln(l.options.Log, "trying again:", err)
	})
	if err != nil {
		return err
	}
	for _, e := range answer.Errors {
		fmt.Fprintf(l.options.Log, "line %d was rejected: %s\n", e.Line, e.Error)
	}
	l.totals.Items += l.items
	l.totals.Accepted += answer.Accepted
	l.totals.Rejected += answer.Rejected
	l.body, l.items = l.body[:0], 0
	return nil
}
