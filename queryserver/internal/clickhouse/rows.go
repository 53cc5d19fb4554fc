package clickhouse

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxString is the longest string taken from a row, in bytes. Ingest caps bodies
// far below; a longer one means the columns read are not the columns sent.
const maxString = 256 << 20

// Reader reads the columns of RowBinary rows in the order of the statement. The
// first failure sticks: later reads give zero values, and Err tells.
type Reader struct {
	r     *bufio.Reader
	buf   [maxShared]byte
	texts map[string]string // short strings read so far, which mostly repeat
	err   error
}

const (
	// maxShared is the longest string that is kept for the rows that repeat it.
	maxShared = 64
	// maxTexts bounds how many are kept: names and values of attributes, not ids.
	maxTexts = 4096
)

func newReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), texts: map[string]string{}}
}

// more says whether another row follows.
func (r *Reader) more() bool {
	if r.err != nil {
		return false
	}
	if _, err := r.r.Peek(1); err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
		return false
	}
	return true
}

// Err is the first failure, nil if none.
func (r *Reader) Err() error { return r.err }

func (r *Reader) fixed(n int) []byte {
	b := r.buf[:n]
	if r.err == nil {
		if _, err := io.ReadFull(r.r, b); err != nil {
			r.fail(err)
		}
	}
	if r.err != nil {
		clear(b)
	}
	return b
}

func (r *Reader) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	r.err = fmt.Errorf("reading a row: %w", err)
}

// Uint8 reads a UInt8.
func (r *Reader) Uint8() uint8 { return r.fixed(1)[0] }

// Uint16 reads a UInt16.
func (r *Reader) Uint16() uint16 { return binary.LittleEndian.Uint16(r.fixed(2)) }

// Uint32 reads a UInt32, or a DateTime as seconds since 1970.
func (r *Reader) Uint32() uint32 { return binary.LittleEndian.Uint32(r.fixed(4)) }

// Uint64 reads a UInt64.
func (r *Reader) Uint64() uint64 { return binary.LittleEndian.Uint64(r.fixed(8)) }

// Int64 reads an Int64, or a DateTime64 in units of its scale since 1970.
func (r *Reader) Int64() int64 { return int64(r.Uint64()) }

// Float32 reads a Float32.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }

// Float64 reads a Float64.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// Fixed reads a FixedString of len(dst) bytes.
func (r *Reader) Fixed(dst []byte) {
	if r.err == nil {
		if _, err := io.ReadFull(r.r, dst); err != nil {
			r.fail(err)
		}
	}
}

// Len reads the length of an Array or a Map.
func (r *Reader) Len() int {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		r.fail(err)
		return 0
	}
	if n > maxString {
		r.err = fmt.Errorf("reading a row: length %d is more than the %d that can be right: the statement's columns and the reader's differ", n, maxString)
		return 0
	}
	return int(n)
}

// String reads a String.
func (r *Reader) String() string {
	n := r.Len()
	if n == 0 || r.err != nil {
		return ""
	}
	if n <= maxShared {
		return r.shared(r.fixed(n))
	}
	b := make([]byte, n)
	r.Fixed(b)
	return string(b)
}

// shared gives b as a string that rows with the same text have in common.
func (r *Reader) shared(b []byte) string {
	if s, ok := r.texts[string(b)]; ok { // does not allocate
		return s
	}
	s := string(b)
	if len(r.texts) < maxTexts {
		r.texts[s] = s
	}
	return s
}
