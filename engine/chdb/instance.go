package chdb

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"
)

// Instance is the engine running on one data directory. The engine is a
// process-wide singleton that lives as long as a connection to it does; the
// Instance holds one open for that.
type Instance struct {
	library *Library
	args    []string
	anchor  unsafe.Pointer
	closing sync.Once
}

// Open starts the engine with command-line style arguments such as
// "--path=/data" (which must be absolute) and "--config-file=…". The caller owns
// the data directory; a second process on it is refused by the engine's lock.
func (l *Library) Open(args []string) (*Instance, error) {
	instance := &Instance{library: l, args: append([]string{"clickhouse"}, args...)}
	// While it starts, the engine installs handlers for fatal signals, or, told
	// not to, resets them to the default; both take them from the Go runtime,
	// which turns SIGSEGV into panics. Later connections do neither once the
	// flag is set back.
	saved, err := saveSignalHandlers()
	if err != nil {
		return nil, err
	}
	l.symbols.setSignalHandlers(0)
	instance.anchor = instance.connect()
	l.symbols.setSignalHandlers(1)
	if err := saved.restore(); err != nil {
		return nil, err
	}
	if instance.anchor == nil {
		return nil, errors.New("the engine did not start; the usual causes are a data directory used by another process or written by a later release, an unreadable configuration, and a full disk")
	}
	return instance, nil
}

// connect opens a connection with the arguments the engine was started with;
// nil when the engine refuses it.
func (i *Instance) connect() unsafe.Pointer {
	args := make([]*byte, len(i.args)+1)
	for n, arg := range i.args {
		args[n] = unsafe.StringData(arg + "\x00")
	}
	address := i.library.symbols.connect(int32(len(i.args)), unsafe.Pointer(&args[0]))
	runtime.KeepAlive(args)
	return address
}

// Connect opens a session with its own settings. It takes about 0.1 ms.
func (i *Instance) Connect() (*Conn, error) {
	address := i.connect()
	if address == nil {
		return nil, errors.New("the engine refused a connection: it is closing, or out of memory")
	}
	return &Conn{symbols: &i.library.symbols, address: address}, nil
}

// Close ends the engine: parts in memory are flushed, merges stop, the data
// directory's lock is released. Every Conn must be closed before.
func (i *Instance) Close() {
	i.closing.Do(func() { i.library.symbols.closeConn(i.anchor) })
}
