// Package enginetest starts the real embedded engine for tests.
//
//	server := enginetest.Start(t)
//	db := clickhouse.OpenDB(…server.URL, server.User, server.Password…)
//
// The engine is the built program, `trackway engine`, in a process of its own: a
// process can open the engine once, and a test may want to kill it. TRACKWAY_BIN
// names the program; without it, bin/trackway of the repository that holds the
// working directory is used. A missing program or library fails the test with
// the make target that builds it; it never skips.
//
// Tests of the engine's own module use engine/enginetest, which needs no built
// program.
package enginetest
