// Package livetailextension serves the records a collector accepts to those who
// watch them arrive.
//
//	GET /v1/tail?project=default&filter=status >= 500
//
// answers with Server-Sent Events: "record" with a record in the API's JSON form,
// "missed" with {"missed":N} where N matching records were left out since the
// last such event, and a comment every 15 seconds. Exporters find the extension
// by its component id and publish through internal/livetail.
package livetailextension
