// Package record is the model of what Trackway stores: requests, spans and
// events, their identity, and their JSON form.
//
// A record is one row of one table. The exporter makes records from the spans
// and log records of the pipeline, the live tail sends them to subscribers, the
// filter language evaluates predicates over them, and the query server answers
// with the same JSON form.
package record
