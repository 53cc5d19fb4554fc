package convert

import (
	"strconv"
	"strings"
)

// grpcToHTTP is the public mapping of gRPC codes to HTTP statuses
// (google/rpc/code.proto), by code.
var grpcToHTTP = [...]uint16{
	200, // OK
	499, // CANCELLED
	500, // UNKNOWN
	400, // INVALID_ARGUMENT
	504, // DEADLINE_EXCEEDED
	404, // NOT_FOUND
	409, // ALREADY_EXISTS
	403, // PERMISSION_DENIED
	429, // RESOURCE_EXHAUSTED
	400, // FAILED_PRECONDITION
	409, // ABORTED
	400, // OUT_OF_RANGE
	501, // UNIMPLEMENTED
	500, // INTERNAL
	503, // UNAVAILABLE
	500, // DATA_LOSS
	401, // UNAUTHENTICATED
}

// grpcCodes are the names of the codes, as rpc.response.status_code and, in
// lower case, rpc.connect_rpc.error_code write them.
var grpcCodes = map[string]int{
	"OK": 0, "CANCELLED": 1, "CANCELED": 1, "UNKNOWN": 2, "INVALID_ARGUMENT": 3, "DEADLINE_EXCEEDED": 4,
	"NOT_FOUND": 5, "ALREADY_EXISTS": 6, "PERMISSION_DENIED": 7, "RESOURCE_EXHAUSTED": 8,
	"FAILED_PRECONDITION": 9, "ABORTED": 10, "OUT_OF_RANGE": 11, "UNIMPLEMENTED": 12, "INTERNAL": 13,
	"UNAVAILABLE": 14, "DATA_LOSS": 15, "UNAUTHENTICATED": 16,
}

// rpcStatus maps a gRPC code, a number or a name, to an HTTP status.
func rpcStatus(code string) (status uint16, ok bool) {
	n, err := strconv.Atoi(code)
	if err != nil {
		n, ok = grpcCodes[strings.ToUpper(code)]
		if !ok {
			return 0, false
		}
	}
	if n < 0 || n >= len(grpcToHTTP) {
		return 0, false
	}
	return grpcToHTTP[n], true
}
