package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// reader reads an encoding. After an error it gives zeros.
type reader struct {
	data []byte
	off  int
	err  error
}

var errShort = errors.New("cut short")

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) uvarint() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.data[r.off:])
	if n <= 0 {
		r.fail(errShort)
		return 0
	}
	r.off += n
	if v > 1<<40 {
		r.fail(fmt.Errorf("%d where a count or a length was expected", v))
		return 0
	}
	return int(v)
}

func (r *reader) varint() int64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Varint(r.data[r.off:])
	if n <= 0 {
		r.fail(errShort)
		return 0
	}
	r.off += n
	return v
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n > len(r.data)-r.off {
		r.fail(errShort)
		return nil
	}
	r.off += n
	return r.data[r.off-n : r.off : r.off]
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) blob() []byte { return r.bytes(r.uvarint()) }

// uvarint is binary.Uvarint with a fast path for one byte.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}
