// Package blockcompress reads and writes ClickHouse's native block
// compression as byte streams, for the HTTP interface's decompress=1 request
// bodies and compress=1 responses.
//
// A stream is a sequence of frames:
//
//	checksum  16 bytes  CityHash128 (v1.0.2) of everything after it
//	method     1 byte   0x02 none, 0x82 LZ4, 0x90 ZSTD
//	size       4 bytes  little endian, compressed payload + 9
//	data size  4 bytes  little endian, payload after decompression
//	payload
//
// The codec is ch-go's; this package adds what an HTTP body needs on top of
// it: a clean end of stream, limits checked before anything is allocated, and
// errors that name the frame at fault.
package blockcompress
