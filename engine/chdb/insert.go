package chdb

import (
	"io"
	"unsafe"
)

// InsertStream feeds formatted rows to one INSERT.
type InsertStream struct {
	conn    *Conn
	pointer unsafe.Pointer
}

// Insert starts an INSERT whose rows follow through Write in the given format.
// The statement names neither a FORMAT nor a SELECT.
func (c *Conn) Insert(query, format string, params Params) (*InsertStream, error) {
	arguments := newCParams(params)
	pointer := c.symbols.insertWithParams(c.handle(),
		stringPointer(query), uintptr(len(query)), stringPointer(format), uintptr(len(format)),
		arguments.names(), arguments.nameLens(), arguments.values(), arguments.valueLens(), arguments.count())
	arguments.keepAlive()
	stream := &InsertStream{conn: c, pointer: pointer}
	if message := c.symbols.insertError(pointer); message != "" {
		stream.Close()
		return nil, newException(message)
	}
	return stream, nil
}

// Write hands bytes to the engine, and waits when it falls behind.
func (s *InsertStream) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if s.conn.symbols.insertAppend(s.pointer, unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p))) != 0 {
		if message := s.conn.symbols.insertError(s.pointer); message != "" {
			return 0, newException(message)
		}
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// Finish ends the rows and waits until they are stored.
func (s *InsertStream) Finish() (Stats, error) {
	result := newResult(s.conn.symbols, s.conn.symbols.insertDone(s.pointer))
	defer result.Close()
	if err := result.err(); err != nil {
		return Stats{}, err
	}
	return result.Stats(), nil
}

// Close releases the stream; unfinished, it is cancelled and rows that the
// engine has not yet written are dropped.
func (s *InsertStream) Close() {
	if s.pointer != nil {
		s.conn.symbols.insertDestroy(s.pointer)
		s.pointer = nil
	}
}
