package demo

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// outbox sends bodies over a few connections and adds up the answers.
type outbox struct {
	sender  *Sender
	log     io.Writer
	run     int64 // tells the batch ids of this run from those of others
	bodies  chan outgoing
	workers sync.WaitGroup
	pending sync.WaitGroup // bodies handed over and not yet answered

	mu      sync.Mutex
	batches int
	sum     Totals
}

type outgoing struct {
	content []byte
	items   int
	id      string
}

// newOutbox starts the connections. They give up what they are sending when ctx
// ends.
func newOutbox(ctx context.Context, url string, log io.Writer, now time.Time) *outbox {
	o := &outbox{sender: NewSender(url, connections), log: log, run: now.UnixNano(), bodies: make(chan outgoing)}
	for range connections {
		o.workers.Go(func() {
			for b := range o.bodies {
				o.deliver(ctx, b)
				o.pending.Done()
			}
		})
	}
	return o
}

// send hands a body over, which the caller must not touch afterwards.
func (o *outbox) send(ctx context.Context, content []byte, items int) error {
	o.batches++
	o.pending.Add(1)
	select {
	case o.bodies <- outgoing{content, items, fmt.Sprintf("demo-%d-%d", o.run, o.batches)}:
		return nil
	case <-ctx.Done():
		o.pending.Done()
		return ctx.Err()
	}
}

func (o *outbox) deliver(ctx context.Context, b outgoing) {
	answer, err := o.sender.SendUntilAccepted(ctx, b.content, b.id, func(err error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.sum.Retries++
		fmt.Fprintln(o.log, "trying again:", err)
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			o.sum.Failed += b.items
			fmt.Fprintln(o.log, "given up:", err)
		}
		return
	}
	for _, e := range answer.Errors {
		fmt.Fprintf(o.log, "line %d was rejected: %s\n", e.Line, e.Error)
	}
	o.sum.Items += b.items
	o.sum.Accepted += answer.Accepted
	o.sum.Rejected += answer.Rejected
}

// say logs a line of progress.
func (o *outbox) say(format string, arguments ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintf(o.log, format+"\n", arguments...)
}

// wait returns when everything handed over has been answered, or given up
// because ctx ended, whose error it returns.
func (o *outbox) wait(ctx context.Context) (Totals, error) {
	o.pending.Wait()
	return o.totals(), ctx.Err()
}

func (o *outbox) totals() Totals {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sum
}

// close ends the connections and gives the sums.
func (o *outbox) close() Totals {
	close(o.bodies)
	o.workers.Wait()
	o.sender.Close()
	return o.totals()
}
