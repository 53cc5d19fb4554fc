// Package journalstorageextension is a storage extension for the persistent queue
// of any exporter, over internal/journal.
//
// The queue stores, dispatches and deletes under one lock. A client that synced
// each of these, as a file storage with fsync does, would serve a few hundred
// requests a second. This one tells them apart by their shape:
//
//   - A batch of Sets only is an offer. It is appended at once. If the context has
//     a ticket of internal/groupcommit it does not wait for the sync; whoever put
//     it there does, outside the queue's lock. Otherwise it waits, which is safe
//     for any exporter.
//   - A batch that reads or deletes too is a dispatch or its end. Losing it means
//     that an item is delivered again, which a queue must expect anyway. It becomes
//     part of the next offer's record, or of one of its own a moment later.
//   - A batch of Deletes only, before the first of the former, is the recovery of
//     a queue: it deletes the items that were in flight and then sets them again,
//     one by one, under other keys. Its deletes are held back, each until an equal
//     value is set, and go in the same record. A crash at any point loses nothing
//     and doubles nothing whose encoding is stable. Values that changed are deleted
//     when all are set again, so they may be doubled, not lost.
//
// A value that cannot be read fails the whole journal instead of the read, because
// the queue answers a failed read by deleting the item.
package journalstorageextension
