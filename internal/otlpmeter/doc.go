// Package otlpmeter tells how much memory a request of OTLP takes once it is
// decoded, from its bytes as they arrive. An empty span is 2 bytes on the wire and
// 240 in memory, so a limit of a body's length alone bounds nothing: 20 MiB of
// them are 2 GiB. A meter follows the structure of the encoding without keeping
// any of it, so that a request can be refused before it is decoded.
package otlpmeter
