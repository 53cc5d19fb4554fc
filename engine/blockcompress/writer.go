package blockcompress

import (
	"errors"
	"fmt"
	"io"

	"github.com/ClickHouse/ch-go/compress"
)

// frameSize is how many bytes a Writer gathers before it makes a frame of
// them: ClickHouse's own default, max_compress_block_size.
const frameSize = 1 << 20

var errClosed = errors.New("blockcompress: write after Close")

// Writer compresses what is written to it into frames. Not safe for concurrent use.
type Writer struct {
	dst    io.Writer
	codec  *compress.Writer
	buf    []byte
	err    error
	closed bool
}

// NewWriter returns a writer that compresses into dst by method, a frame for
// every MiB written, fewer at Flush and Close. Close writes what is left and
// does not close dst. A stream without bytes is empty.
func NewWriter(dst io.Writer, method Method) *Writer {
	return &Writer{dst: dst, codec: compress.NewWriter(compress.LevelZero, method.codec()), buf: make([]byte, 0, frameSize)}
}

func (w *Writer) Write(p []byte) (int, error) {
	if w.closed {
		return 0, errClosed
	}
	total := 0
	for len(p) > 0 {
		n := min(len(p), frameSize-len(w.buf))
		w.buf = append(w.buf, p[:n]...)
		p = p[n:]
		if len(w.buf) == frameSize {
			if err := w.Flush(); err != nil {
				return total, err
			}
		}
		total += n
	}
	return total, w.err
}

// Flush makes a frame of what has been gathered and writes it to dst.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	if err := w.codec.Compress(w.buf); err != nil {
		w.err = fmt.Errorf("compress %d bytes: %w", len(w.buf), err)
		return w.err
	}
	w.buf = w.buf[:0]
	if _, err := w.dst.Write(w.codec.Data); err != nil {
		w.err = fmt.Errorf("write compressed frame: %w", err)
	}
	return w.err
}

// Close flushes. A second Close does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	err := w.Flush()
	w.closed = true
	return err
}
