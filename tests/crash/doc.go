// Package crash kills the engine during ingest, at random moments and at the
// rename of a part, and requires that nothing is lost and nothing is stored
// twice: in the raw tables, in the rollups and journeys behind them, and in what
// the engine's own CHECK TABLE sees.
//
// The tests come in two layers. The first inserts units of rows under
// deduplication tokens straight into the engine, as the exporter does. The
// second sends NDJSON to the real collector and kills the engine behind it.
//
// TRACKWAY_KILL_ROUNDS sets the number of random kills, 5 by default. Kills at a
// rename need strace.
package crash
