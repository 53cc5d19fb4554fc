package chdb

import (
	"runtime"
	"unsafe"
)

// Conn is a session of the engine: settings, current database and temporary
// tables of its own. It runs one statement at a time and must not be used by two
// goroutines at once; different Conns run concurrently.
type Conn struct {
	symbols *symbols
	address unsafe.Pointer
}

// handle is what the C interface calls chdb_connection: the value behind the
// address that connect returned.
func (c *Conn) handle() unsafe.Pointer { return *(*unsafe.Pointer)(c.address) }

// Close ends the session; a stream still open on it is cancelled.
func (c *Conn) Close() {
	c.symbols.closeConn(c.address)
}

// Params are values for {name:Type} placeholders, in the text form of
// ClickHouse's Escaped format.
type Params map[string]string

// Query runs a statement and gathers its whole result. An engine error is an
// *Exception.
func (c *Conn) Query(query, format string, params Params) (*Result, error) {
	arguments := newCParams(params)
	result := newResult(c.symbols, c.symbols.queryWithParams(c.handle(),
		stringPointer(query), uintptr(len(query)), stringPointer(format), uintptr(len(format)),
		arguments.names(), arguments.nameLens(), arguments.values(), arguments.valueLens(), arguments.count()))
	arguments.keepAlive()
	runtime.KeepAlive(query)
	if err := result.err(); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// Exec runs a statement for its effect.
func (c *Conn) Exec(query string) error {
	result, err := c.Query(query, "Null", nil)
	if err != nil {
		return err
	}
	result.Close()
	return nil
}

// emptyText stands for strings without bytes: the C interface dereferences its
// pointers whatever the length.
var emptyText = [1]byte{}

func stringPointer(s string) unsafe.Pointer {
	if s == "" {
		return unsafe.Pointer(&emptyText[0])
	}
	return unsafe.Pointer(unsafe.StringData(s))
}

// cParams is Params as the parallel arrays of the C interface.
type cParams struct {
	params               []string
	nameText, valueText  []unsafe.Pointer
	nameBytes, valueSize []uintptr
}

func newCParams(params Params) *cParams {
	c := &cParams{}
	for name, value := range params {
		c.params = append(c.params, name, value)
		c.nameText = append(c.nameText, stringPointer(name))
		c.nameBytes = append(c.nameBytes, uintptr(len(name)))
		c.valueText = append(c.valueText, stringPointer(value))
		c.valueSize = append(c.valueSize, uintptr(len(value)))
	}
	return c
}

func (c *cParams) count() uintptr            { return uintptr(len(c.nameText)) }
func (c *cParams) names() unsafe.Pointer     { return unsafe.Pointer(unsafe.SliceData(c.nameText)) }
func (c *cParams) values() unsafe.Pointer    { return unsafe.Pointer(unsafe.SliceData(c.valueText)) }
func (c *cParams) nameLens() unsafe.Pointer  { return unsafe.Pointer(unsafe.SliceData(c.nameBytes)) }
func (c *cParams) valueLens() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(c.valueSize)) }
func (c *cParams) keepAlive()                { runtime.KeepAlive(c) }
