// Package clickhouserollupexporter stores traces and logs in ClickHouse as
// requests, spans and events, with the rollups, journeys and indexes that make
// reading them fast. It speaks ClickHouse's HTTP interface and writes Native
// blocks, one insert per table and unit.
//
// # From the pipeline to the store
//
// ConsumeTraces and ConsumeLogs convert what arrives into records and offer them
// to one sending queue. A queue consumer adds them to a unit: the rows of many
// deliveries that are inserted together. A delivery is answered when every unit
// that holds a part of it is stored, so what was acknowledged is in ClickHouse.
// A unit keeps its bytes and its deduplication tokens until it is stored: trying
// it again stores nothing twice.
package clickhouserollupexporter
