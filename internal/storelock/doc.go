// Package storelock is a lock among processes that share nothing but a ClickHouse
// store: collectors that start at once and each want to migrate it, exporters that
// would each drop its oldest partitions.
//
// It needs INSERT and SELECT only, and works in the same way on the embedded
// engine, on a server and on a cluster: a claim is an insert under a
// deduplication token that names the next generation of the lock. The first of
// several such inserts is stored and the others are ignored, so whoever reads back
// its own name holds the lock. A holder renews its claim; one that stopped doing
// so is succeeded by the next generation after Expiry, measured by the server's
// clock alone. See docs/adr/0014-migrations-and-clusters.md.
package storelock
