// Package convert makes records of what the pipeline carries: requests and
// spans of spans, events of log records and span events.
//
// # What is a request
//
// A span of kind SERVER with HTTP or RPC attributes, a CONSUMER span, a FaaS
// invocation, a scheduled job, or any span that says so by the attribute
// trackway.request.kind. Both the current names of the semantic conventions and
// those before 1.21 (http.method, http.target, net.peer.ip …) are understood.
//
// # Promotion
//
// An attribute that a column holds in full lives only in that column, and readers
// get it back from there: record.Promotions is the table of both. Whatever a
// column would not give back as it was sent stays an attribute as well: a value
// beyond a cap, which is "(other)" in the column, a route before it became a
// template, a status that is no number, and what is merely a source for a column
// (http.url for the path, net.peer.ip for the client's address when nothing better
// is known, the code of a gRPC status). Nothing a sender wrote is lost.
//
// A status is an HTTP code. gRPC codes are mapped by the public table. Requests
// of other kinds have none: theirs is 500 when the span failed, else 0.
//
// # Time
//
// Times more than ten minutes ahead of the receiver are replaced by the receive
// time and marked; items older than the retention are dropped and counted.
package convert
