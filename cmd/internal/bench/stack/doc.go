// Package stack runs what benchmarks measure: `trackway up` on a fresh data
// directory with a collector configuration made for the arm, so that engine,
// collector and query server run as users run them, each in a process whose CPU
// and memory are read from the kernel.
package stack
