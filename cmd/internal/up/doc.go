// Package up runs Trackway on one machine: engine, collector and query server
// as supervised child processes, optionally with demo traffic as a fourth.
//
// Each part is a process of its own so that any of them can be killed at any
// moment and comes back without the others noticing. Addresses are settled once,
// before the first start, and handed to the children by environment, so that a
// restarted child listens where its peers expect it.
package up
