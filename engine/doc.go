// Package engine runs the embedded ClickHouse: libchdb on a data directory,
// behind ClickHouse's HTTP interface, in a process of its own.
//
// Everything else in Trackway speaks to it over HTTP and cannot tell it from a
// server; only this module knows the library. Run ties its parts together: the
// checks of the data directory (package store), the binding (package chdb) and
// the interface (package httpapi).
package engine
