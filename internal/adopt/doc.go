// Package adopt replays a store that the upstream clickhouseexporter has filled
// through a Trackway collector, and follows it while it is still written to.
//
// Rows travel as OTLP, so redaction, correlation keys and projects apply to them
// as to anything that is sent. They are taken minute by minute, and before a batch
// is sent, the hashes of its rows are written to disk with the batch's id. After a
// crash the same rows are sent again under the same id, which the collector counts
// once; a row that arrives late in a minute that was done is recognised because
// its hash is not among those that were sent.
package adopt
