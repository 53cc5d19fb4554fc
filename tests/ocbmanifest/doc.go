// Package ocbmanifest shows that our components belong to anybody: a manifest
// outside the repository takes them from a clone into an otherwise upstream
// collector, which builds, runs, and has to resolve none of what the query
// server and the engine need. It also validates the configurations that ship.
package ocbmanifest
