// Package clickhouserollupexporter stores traces and logs in ClickHouse as
// requests, spans and events, with the rollups, journeys and indexes that make
// reading them fast. It speaks ClickHouse's HTTP interface and writes Native
// blocks, one insert per table and unit.
//
// # From the pipeline to the store
//
// ConsumeTraces and ConsumeLogs convert what arrives into a columns.Batch and offer
// it to one sending queue. A queue consumer adds its parts to units: the rows of
// many deliveries that are inserted together. A unit keeps its bytes and its
// deduplication tokens until it is stored: trying it again stores nothing twice.
//
// The queue is in memory, and then a delivery is answered when every unit that holds
// a part of it is stored. Or it is on disk (sending_queue::storage), and then a
// delivery is answered when it is durable there. The rest is about the latter.
//
// # Durable, exactly once
//
// Deliveries that arrive while an earlier one is being written become one queue item
// (coalesce.go). An item has an id of its own inside its encoding (encoding.go),
// because the queue gives it new keys. Before a unit is inserted it is written down
// which items it is made of, in which order (unitlog.go); that it is stored is
// written down before the first of them is deleted. A restart puts the same units
// together again, so that the store knows their tokens (recovered.go).
//
// The helper's queue sees its storage through queueStorage, which tells the exporter
// what has been dispatched and deleted, lets it read an item again that it had no
// room for, and mends what an offer leaves behind that the storage refused.
//
// What the store refuses because of a value in it is halved until the item at fault
// is found, which goes to the dead letters (isolate.go). After other failures one
// insert at a time tries until the store is well again (breaker.go).
//
// Memory is bounded by unit::max_held_bytes (budget.go): an item that has no room
// gives its bytes back and is read again.
package clickhouserollupexporter
