// Package sqltext reads as much of ClickHouse's SQL as an HTTP interface needs:
// where a statement ends, where the data of an INSERT begins, which format it
// names, and where to put a clause without disturbing the rest.
//
// It is a lexer and a few rules over its tokens, not a parser: whether a
// statement is valid is the engine's to say. Token rules follow ClickHouse's
// lexical syntax as documented in its SQL reference.
package sqltext
