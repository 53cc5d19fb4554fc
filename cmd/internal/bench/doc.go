// Package bench is `trackway bench ingest`: it starts what it measures, offers
// prepared traffic, watches every process, waits until everything accepted is
// stored, and recounts it. A figure without its recount is not reported as good.
//
// The sender is a process of its own (package sender) with bodies prepared by one
// seeded generator for every arm (package workload); the rest is `trackway up` on
// a fresh data directory (package stack).
package bench
