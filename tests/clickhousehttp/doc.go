// Package clickhousehttp holds raw HTTP conversations with the embedded engine,
// written from ClickHouse's documentation of its HTTP interface
// (clickhouse.com/docs, "HTTP interface") and checked byte by byte where the
// documentation is that exact.
//
// A conversation is a text file in testdata. Lines that start with ">" are sent,
// lines that start with "<" are expected, everything else is a comment:
//
//	> POST /
//	> ?query=INSERT INTO t FORMAT CSV     one URL parameter, escaped by the test
//	> X-ClickHouse-Database: d            a header
//	> @encode gzip                        the body is sent gzip-compressed
//	>
//	> 1,2                                 the body, each line ended by a newline
//	< 200
//	< X-ClickHouse-Summary: "written_rows":"1"    header, value matches the regexp
//	< !X-ClickHouse-Exception-Code                header is absent
//	< @decode gzip                        the body is decoded before it is compared
//	<
//	< exact line
//	< ~ regexp of a line
//
// Request directives: @encode gzip, zstd, lz4-block or zstd-block (ClickHouse's
// block framing), @anonymous (no credentials), @no-newline (the body's last line
// has none). Response directives: @decode gzip, zstd or block; @any (the body is not
// compared); @tail REGEXP (the end of the body matches, dot matches newlines).
//
// The conversations of one file run in order against one engine.
package clickhousehttp
