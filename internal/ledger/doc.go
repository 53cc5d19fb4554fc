// Package ledger counts what becomes of every item, per project and minute of
// receipt, so that nothing can be lost without a number that says so:
//
//	received = accepted + rejected
//	accepted = stored + pending + dead_letter + dropped(reason) + removed
//
// removed is what a processor between the project processor and the exporter took
// out. Everything is in items: spans and log records as they arrived.
//
// # Exact under a crash
//
// A counter that is written apart from what it counts is wrong after a crash. So
// every change is balanced, it adds the same on both sides, and the changes that
// matter are part of the journal record of what they count (package alongside): an
// offer and its count are in the journal together or not at all, and so are the
// note that a unit is done and the count of what it stored. pending is not counted:
// it is what is left over, and `trackway doctor` compares it with the queue.
//
// # Who calls what
//
// The project processor, when a sender's items are known to be a project's:
//
//	ctx, settle := l.Receive(ctx, project, items)
//	err := next.ConsumeTraces(ctx, traces)
//	settle(err)
//
// A receiver that left out items in front of it says how many with WithRejected.
//
// The exporter, around the offer to its queue. Coalesced deliveries are one offer:
//
//	minute := ledger.Minute(time.Now())       // goes into the queue's item
//	ctx, changes := alongside.NewContext(ctx, l.Offered(minute, items...)...)
//	err := queue.ConsumeTraces(ctx, …)
//	if changes.Applied() {
//		ledger.FromContext(senderCtx).Offered(n) // for each sender
//	}
//	ledger.FromContext(senderCtx).Dropped("too_old", n)
//
// and with the note that a unit is done, or that an item of it is a dead letter:
//
//	ctx, _ = alongside.NewContext(ctx, l.Settled(counts, rows)...)
package ledger
