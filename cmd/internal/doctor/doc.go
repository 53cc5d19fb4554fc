// Package doctor compares what the delivery ledger says with what is there: the
// sending queue, the dead letters, and the rows in the store; and what is derived
// from the rows, rollups and journeys, with the rows. What is derived it can mend.
package doctor
