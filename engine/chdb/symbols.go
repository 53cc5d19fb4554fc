package chdb

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// symbols holds the entry points of one loaded library. A connection is passed
// by value (connection), except to close, which takes the address connect gave.
type symbols struct {
	version            func() string
	setSignalHandlers  func(enabled int32)
	connect            func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn          func(connectionAddress unsafe.Pointer)
	queryWithParams    func(connection, query unsafe.Pointer, queryLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	insertWithParams   func(connection, query unsafe.Pointer, queryLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	insertAppend       func(stream, data unsafe.Pointer, length uintptr) int32
	insertDone         func(stream unsafe.Pointer) unsafe.Pointer
	insertCancel       func(stream unsafe.Pointer)
	insertError        func(stream unsafe.Pointer) string
	insertDestroy      func(stream unsafe.Pointer)
	resultBuffer       func(result unsafe.Pointer) unsafe.Pointer
	resultLength       func(result unsafe.Pointer) uintptr
	resultRowsRead     func(result unsafe.Pointer) uint64
	resultBytesRead    func(result unsafe.Pointer) uint64
	resultStorageRows  func(result unsafe.Pointer) uint64
	resultStorageBytes func(result unsafe.Pointer) uint64
	resultRowsWritten  func(result unsafe.Pointer) uint64
	resultBytesWritten func(result unsafe.Pointer) uint64
	resultError        func(result unsafe.Pointer) string
	resultDestroy      func(result unsafe.Pointer)
}

// bind resolves every symbol; the error names the first one that is missing.
func (s *symbols) bind(handle uintptr) error {
	for _, entry := range []struct {
		name string
		fn   any
	}{
		{"chdb_version", &s.version},
		{"chdb_set_signal_handlers_enabled", &s.setSignalHandlers},
		{"chdb_connect", &s.connect},
		{"chdb_close_conn", &s.closeConn},
		{"chdb_query_with_params_n", &s.queryWithParams},
		{"chdb_stream_insert_with_params_n", &s.insertWithParams},
		{"chdb_stream_append", &s.insertAppend},
		{"chdb_stream_done", &s.insertDone},
		{"chdb_stream_cancel_insert", &s.insertCancel},
		{"chdb_stream_insert_error", &s.insertError},
		{"chdb_destroy_insert_stream", &s.insertDestroy},
		{"chdb_result_buffer", &s.resultBuffer},
		{"chdb_result_length", &s.resultLength},
		{"chdb_result_rows_read", &s.resultRowsRead},
		{"chdb_result_bytes_read", &s.resultBytesRead},
		{"chdb_result_storage_rows_read", &s.resultStorageRows},
		{"chdb_result_storage_bytes_read", &s.resultStorageBytes},
		{"chdb_result_rows_written", &s.resultRowsWritten},
		{"chdb_result_bytes_written", &s.resultBytesWritten},
		{"chdb_result_error", &s.resultError},
		{"chdb_destroy_query_result", &s.resultDestroy},
	} {
		address, err := purego.Dlsym(handle, entry.name)
		if err != nil {
			return err
		}
		purego.RegisterFunc(entry.fn, address)
	}
	return nil
}
