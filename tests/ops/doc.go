// Package ops tests what an operator relies on, on the real binaries: the delivery
// ledger adds up, dead letters can be seen, replayed and dropped, a batch that is
// sent again counts once, and doctor finds and mends what does not add up.
package ops
