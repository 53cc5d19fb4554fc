// Package chdb binds the C interface of libchdb, the ClickHouse engine as a
// shared library, without cgo.
//
// It exists so that everything above it can treat the engine as Go code: a
// Library is loaded once, one Instance per process opens a data directory, and
// each Conn is an isolated session that runs one statement at a time. The
// library ships no header; the signatures in symbols.go follow its documented C
// interface, release 26.7.
package chdb
