// Package metadata keeps what is known about projects rather than about records:
// the projects with their limits, their ingest keys, and who changed what. One
// DSN names the database: a SQLite file, the default, or Postgres. The same
// migrations and the same statements run on both.
//
// The query server and the CLI use it, at the same time and from several
// processes: every change is one transaction that first takes the row holding
// the version, so changes happen one after the other. The version grows with
// each; whoever holds a copy of a Snapshot asks for the version to learn
// whether it is still current. Collectors get key hashes from the query server
// over HTTP, so they need no database driver.
//
// Of a key only its SHA-256 is stored. That is enough for a secret of 160
// random bits: there is nothing to guess, so nothing has to be slow.
package metadata
