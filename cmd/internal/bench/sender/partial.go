package sender

import (
	"encoding/binary"
	"fmt"
)

// partialSuccess reads the number of rejected items of an
// ExportTraceServiceResponse or ExportLogsServiceResponse: field 1 is
// partial_success, whose field 1 is that number.
func partialSuccess(body []byte) (int64, error) {
	if len(body) == 0 {
		return 0, nil
	}
	const bytesField1, varintField1 = 0x0a, 0x08
	length, n := binary.Uvarint(body[1:])
	if body[0] != bytesField1 || n <= 0 || uint64(len(body)-1-n) < length {
		return 0, fmt.Errorf("want an OTLP response, got %.100q", body)
	}
	partial := body[1+n : 1+n+int(length)]
	if len(partial) == 0 || partial[0] != varintField1 {
		return 0, nil // a warning, or nothing
	}
	rejected, n := binary.Uvarint(partial[1:])
	if n <= 0 {
		return 0, fmt.Errorf("want an OTLP response, got %.100q", body)
	}
	return int64(rejected), nil
}
