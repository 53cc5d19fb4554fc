package blockcompress

import (
	"errors"
	"fmt"
	"io"

	"github.com/ClickHouse/ch-go/compress"
)

// reader decompresses frame after frame. The codec pulls its bytes through
// feed, which hands it the header this reader has checked already and then the
// payload.
type reader struct {
	src    io.Reader
	header [headerSize]byte
	// pending is the part of header the codec has not taken yet.
	pending []byte
	codec   *compress.Reader
	frame   int
	// left is what remains of the current frame's decompressed bytes.
	left int
	err  error
}

// NewReader returns a reader of the decompressed bytes of r. It reads ahead no
// further than the current frame, holds at most one frame in memory (bounded
// by MaxBlockSize), verifies every checksum before it gives out a byte of the
// frame, and answers io.EOF only when r ends between two frames. Errors about
// the bytes themselves wrap ErrCorrupted; an end inside a frame wraps
// io.ErrUnexpectedEOF too.
func NewReader(r io.Reader) io.Reader {
	d := &reader{src: r}
	d.codec = compress.NewReader(feed{d})
	return d
}

// feed is the reader's source as the codec sees it.
type feed struct{ r *reader }

func (f feed) Read(p []byte) (int, error) {
	if len(f.r.pending) > 0 {
		n := copy(p, f.r.pending)
		f.r.pending = f.r.pending[n:]
		return n, nil
	}
	return f.r.src.Read(p)
}

func (d *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for d.left == 0 {
		if d.err != nil {
			return 0, d.err
		}
		if err := d.next(); err != nil {
			d.err = err
			return 0, err
		}
	}
	if len(p) > d.left {
		p = p[:d.left]
	}
	n, err := d.codec.Read(p)
	d.left -= n
	if err != nil {
		d.left = 0
		d.err = d.explain(err)
		return n, d.err
	}
	if d.left == 0 {
		d.frame++
	}
	return n, nil
}

// next reads and checks the following frame's header.
func (d *reader) next() error {
	n, err := io.ReadFull(d.src, d.header[:])
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: frame %d: ends after %d of %d bytes of its header: %w", ErrCorrupted, d.frame, n, headerSize, err)
	case err != nil:
		return fmt.Errorf("compressed stream, frame %d: read header: %w", d.frame, err)
	}
	if err := checkHeader(d.header[:], d.frame); err != nil {
		return err
	}
	d.pending = d.header[:]
	d.left = dataSize(d.header[:])
	if d.left == 0 {
		// The codec never reads a frame that gives nothing; skip its payload,
		// which ClickHouse itself does not write.
		return d.skipEmpty()
	}
	return nil
}

func (d *reader) skipEmpty() error {
	d.pending = nil
	if _, err := io.CopyN(io.Discard, d.src, int64(payloadSize(d.header[:]))); err != nil {
		return d.explain(err)
	}
	d.frame++
	return nil
}

// explain turns the codec's error into one that names the frame.
func (d *reader) explain(err error) error {
	var sum *compress.CorruptedDataErr
	switch {
	case errors.As(err, &sum):
		return fmt.Errorf("%w: frame %d: checksum does not match, the bytes were changed on the way: %w", ErrCorrupted, d.frame, sum)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: frame %d: ends inside its payload of %d bytes: %w", ErrCorrupted, d.frame, payloadSize(d.header[:]), io.ErrUnexpectedEOF)
	default:
		return fmt.Errorf("compressed stream, frame %d: %w", d.frame, err)
	}
}
