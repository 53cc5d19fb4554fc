// Package batchindex remembers which batches were taken, so that a batch that is
// sent again under its id counts once, across restarts: an id is written down in the
// same journal record as the offer of the batch. It keeps the answer that the sender
// got, for the repeat to get the same.
//
// # Memory and disk
//
// In memory an id is a hash of 16 bytes and where its answer lies, about 50 bytes
// together. In the journal it is a value of its own at first and soon part of a page
// of pageSize ids, because a key of the journal costs some 200 bytes of memory. Pages
// are forgotten as a whole, oldest first, when there are too many ids or all of a
// page's are too old.
package batchindex
