package chdb

import "unsafe"

// Stats are the engine's counters of one statement.
type Stats struct {
	RowsRead, BytesRead       uint64 // from storage
	RowsWritten, BytesWritten uint64
	ResultRows, ResultBytes   uint64
}

// Result is a formatted result in the engine's memory.
type Result struct {
	symbols *symbols
	pointer unsafe.Pointer
}

func newResult(symbols *symbols, pointer unsafe.Pointer) *Result {
	return &Result{symbols: symbols, pointer: pointer}
}

func (r *Result) err() error {
	if message := r.symbols.resultError(r.pointer); message != "" {
		return newException(message)
	}
	return nil
}

// Bytes is the result in its format. It is the engine's memory, valid until Close.
func (r *Result) Bytes() []byte {
	length := r.symbols.resultLength(r.pointer)
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(r.symbols.resultBuffer(r.pointer)), length)
}

// Stats are the counters of the statement.
func (r *Result) Stats() Stats {
	s := r.symbols
	return Stats{
		RowsRead: s.resultStorageRows(r.pointer), BytesRead: s.resultStorageBytes(r.pointer),
		RowsWritten: s.resultRowsWritten(r.pointer), BytesWritten: s.resultBytesWritten(r.pointer),
		ResultRows: s.resultRowsRead(r.pointer), ResultBytes: s.resultBytesRead(r.pointer),
	}
}

// Close releases the memory.
func (r *Result) Close() {
	if r.pointer != nil {
		r.symbols.resultDestroy(r.pointer)
		r.pointer = nil
	}
}
