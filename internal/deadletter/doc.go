// Package deadletter keeps what the store refuses for good, so that nothing that
// was acknowledged disappears: the payload, why it was refused, and whose it is,
// until somebody replays or drops it.
//
// # Files
//
// A directory holds LOCK, maybe DROPPED (see DropUncounted), and files named by their sequence in 16 hex digits,
// "000000000000000a.dead". A file is a header and entries, each aligned to 8 bytes:
//
//	header  magic "TWDEAD" | version u16
//	entry   magic "DLET" | crc32c u32 | metadata length u32 | payload length u32 |
//	        metadata (JSON) | payload | padding
//
// Integers are little endian; the checksum covers the lengths and what follows.
// The magic lets reading go on behind a damaged place, see scan.go.
//
// # Promises
//
// An entry is on disk when Write returns nil, and whole or not there after a crash
// in the middle of it. Total size and number of entries are bounded: a Write that
// would pass a bound, or that the disk has no room for, changes nothing and says
// ErrFull; the caller keeps the item and tries again. Damaged bytes are named with
// file and offset and stay where they are until somebody drops them.
package deadletter
