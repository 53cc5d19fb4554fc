// Package journal is an append-only log of keys and values that survives a crash
// at any write. It exists because a persistent queue needs three things a
// general key-value file does not give at once: many writers sharing one sync
// (group commit), values that are read back from memory a moment after they were
// written, and disk use that is bounded and reused instead of grown and
// compacted.
//
// # Files
//
// A directory holds LOCK and segments named by their sequence number in 16 hex
// digits, "000000000000000a.seg". A segment is preallocated and, once nothing in
// it is alive, renamed and written again. It starts with a header of 4096 bytes
// and holds records, each aligned to 8 bytes:
//
//	segment header  magic "TWJOURNL" | version u32 | 0 u32 | journal id [16] |
//	                sequence u64 | size u64 | crc32c u32 | zeros
//	record          crc32c u32 | payload length u32 | sequence u64 |
//	                synced u64 | kind u8 | zeros [7] | payload | padding
//
// Integers are little endian. A record's checksum starts from the journal's id and
// the segment's sequence, so that what a recycled file held before never passes.
// Record sequences have no gaps, over all segments. "synced" is the last record
// known to be on disk when this one was appended; it is what tells a torn tail
// from corruption, see recover.go.
//
// Record kinds: a batch of operations, applied as a whole; the end of a segment;
// a trim, which names the oldest segment still needed; and a clean close.
//
// # Promises
//
// What Wait returned nil for survives a crash. After a crash the state is that of
// some earlier moment at or after the last such record: operations become durable
// in the order in which they were applied, a batch wholly or not at all.
// [Space.Apply] says when an operation may become durable later than it is seen,
// or only together with what replaces it.
package journal
