// Package workload prepares what benchmarks send: one seeded generator of items,
// encoded before the clock starts as NDJSON or as OTLP protobuf.
//
// Every item has three attributes and three correlation keys, whatever its kind
// and encoding, so that arms of a comparison differ in nothing but their bytes. A
// prepared body can be sent any number of times: Stamp gives its items new times
// and new random identifiers in place, without changing its length, which costs
// the sender some tens of nanoseconds an item.
package workload
