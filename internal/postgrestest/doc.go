// Package postgrestest starts a real Postgres server for tests.
//
//	server, err := postgrestest.Start()
//	defer server.Close()
//	dsn := server.Database(t)   // postgres://…, an empty database of its own
//
// The programs are those of the system's package "postgresql" (`make test-tools`
// installs it); a machine without them fails the test, it never skips. Postgres
// refuses to run as root, so under root it runs as the user postgres. It listens
// on loopback only, keeps its files in a directory of its own and syncs nothing.
//
// This package contains no client: whoever talks to the server brings a driver.
package postgrestest
