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
	maxBodyItems  = 2000
	connections   = 4 // bodies on their way at the same time
	progressEvery = 30 * time.Second
)

// LiveOptions configures Live.
type LiveOptions struct {
	URL  string // base of the NDJSON endpoint
	Seed uint64
	Rate float64 // requests a second on average, along the daily curve

	BackfillHours float64 // history to send first; 0 is none
	BackfillRate  float64 // its requests a second, along the daily curve

	// StoryFile keeps the story of the run for the next one, which then goes on
	// with it and sends no history. "" makes every run begin anew.
	StoryFile string

	Log   io.Writer // progress
	Ready func()    // called when live traffic begins
}

// Limits of what can be asked for.
const (
	maxRate          = 100_000 // requests a second; a process makes no more
	maxBackfillHours = 720     // what is older, the collector does not take by default (max_age)
)

// Validate says which option is out of range.
func (o LiveOptions) Validate() error {
	for _, f := range []struct {
		flag       string
		value      float64
		above, max float64
		want       string
	}{
		{"--rate", o.Rate, 0, maxRate, "more than 0 and at most 100000"},
		{"--backfill-hours", o.BackfillHours, -1, maxBackfillHours, "0 to 720"},
		{"--backfill-rate", o.BackfillRate, 0, maxRate, "more than 0 and at most 100000"},
	} {
		// Written so that NaN is refused, too.
		if inside := f.value > f.above && f.value <= f.max && (f.value >= 0); !inside {
			return fmt.Errorf("%s: want %s, got %g", f.flag, f.want, f.value)
		}
	}
	return nil
}

// Totals is what a live run has sent.
type Totals struct {
	Requests int // generated
	Items    int // in bodies that were answered
	Accepted int
	Rejected int
	Failed   int // in bodies that the endpoint cannot use
	Retries  int
}

// Live sends history, if any, as fast as it is taken, and then live traffic
// until ctx ends, which is not an error.
func Live(ctx context.Context, o LiveOptions) (Totals, error) {
	now := time.Now()
	history := time.Duration(o.BackfillHours * float64(time.Hour))
	story, again, err := readStory(o.StoryFile)
	if err != nil {
		return Totals{}, err
	}
	if again {
		history, story = 0, story.resume(now)
	} else {
		story = NewStory(now.Add(-history), history)
	}
	if err := writeStory(o.StoryFile, story); err != nil {
		return Totals{}, err
	}
	l := &liveRun{
		options: o,
		gen:     NewGenerator(o.Seed, story),
		out:     newOutbox(ctx, o.URL, o.Log, now),
	}
	if again {
		l.out.say("going on after an earlier run, no history is sent again: %s", story.tell(now))
	} else {
		l.out.say("%s", story.tell(now))
	}
	err = l.backfill(ctx, now.Add(-history), now)
	if err == nil {
		o.Ready()
		err = l.follow(ctx, now)
	}
	totals := l.out.close()
	totals.Requests = l.requests
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return totals, err
}

type liveRun struct {
	options  LiveOptions
	gen      *Generator
	out      *outbox
	requests int // generated

	body  []byte
	items int // in body
}

// backfill sends the traffic between two times.
func (l *liveRun) backfill(ctx context.Context, from, to time.Time) error {
	if !from.Before(to) || l.options.BackfillRate <= 0 {
		return nil
	}
	began := time.Now()
	l.out.say("sending %.1f hours of history", l.options.BackfillHours)
	for t := l.gen.NextArrival(from, l.options.BackfillRate); t.Before(to); t = l.gen.NextArrival(t, l.options.BackfillRate) {
		if err := l.add(ctx, t); err != nil {
			return err
		}
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	totals, err := l.out.wait(ctx)
	if err != nil {
		return err
	}
	l.out.say("history sent: %d requests, %d items in %s", l.requests, totals.Items, time.Since(began).Round(time.Millisecond))
	return nil
}

// follow sends traffic as its time comes.
func (l *liveRun) follow(ctx context.Context, from time.Time) error {
	l.out.say("sending live traffic, %g requests a second on average, to %s", l.options.Rate, l.out.sender.url)
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
			l.out.say("%d requests made, %d items accepted", l.requests, l.out.totals().Accepted)
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
			l.requests++
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

// flush hands the body to the outbox; it waits while all connections are busy.
func (l *liveRun) flush(ctx context.Context) error {
	if l.items == 0 {
		return nil
	}
	err := l.out.send(ctx, l.body, l.items)
	l.body, l.items = make([]byte, 0, cap(l.body)), 0
	return err
}
