// Package crash kills collector and engine under load, at random moments and at
// chosen calls, and requires that nothing is lost and nothing is stored twice: in the
// raw tables, in the rollups, journeys and facets made of them, in what the engine's
// own CHECK TABLE sees, and in the delivery ledger.
//
// The tests come in layers. The first inserts units of rows under deduplication tokens
// straight into the engine, as the exporter does. The second sends NDJSON to the real
// collector and kills it, the engine behind it, or both. In the third their data lies
// on a disk made for that (faultfs): it kills at the nth write, sync or change of a
// name, in recovery too, and forgets what was not synced, as when the power fails.
//
// TRACKWAY_KILL_ROUNDS sets the number of random kills, 5 by default, and of rounds on
// that disk for each victim with and without power, 2 by default. Kills at a rename
// need strace; the disk needs FUSE, as root or with fusermount3.
package crash
