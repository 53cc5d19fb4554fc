package admissionextension

import (
	"bufio"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/grpc/codes"

	"github.com/trackwayhq/trackway/internal/admission"
)

// encodings are those inflated here, where the server was told to leave bodies
// alone (`compression_algorithms: []`).
const encodings = "gzip, deflate, zlib, zstd, snappy, x-snappy-framed, identity"

// inflate wraps src by a reader of its inflated form. extra is how many bytes the
// decoder needs beside the output; they are to be held before the first read.
func inflate(encoding string, src io.ReadCloser, maxBytes int64) (r io.ReadCloser, extra int64, err error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return src, 0, nil
	case "gzip", "x-gzip":
		r, err := newGzip(src)
		return r, flateBytes, err
	case "deflate", "zlib":
		z, err := zlib.NewReader(src)
		if err != nil {
			return nil, 0, err
		}
		return &inflater{Reader: z, closers: []io.Closer{z, src}}, flateBytes, nil
	case "zstd":
		return newZstd(src, maxBytes)
	case "x-snappy-framed":
		return &inflater{Reader: snappy.NewReader(src), closers: []io.Closer{src}}, snappyFrameBytes, nil
	case "snappy":
		return newSnappy(src, maxBytes)
	}
	return nil, 0, &admission.Refusal{
		HTTP: http.StatusUnsupportedMediaType, Code: codes.Unimplemented, Reason: "encoding",
		Message: fmt.Sprintf("content encoding %q: want one of %s", encoding, encodings),
	}
}

const (
	// A window of 32 KiB, tables and a read buffer.
	flateBytes = 64 << 10
	// One chunk compressed and one inflated.
	snappyFrameBytes = 160 << 10
)

// inflater reads inflated bytes and, when closed, closes what is below it, once:
// servers close bodies that handlers have closed already, and a decoder must not go
// back to its pool twice.
type inflater struct {
	io.Reader
	closers []io.Closer
}

// Read gives inflated bytes. A decoder that panics, as they have on bodies made for
// it, is an error of this body and of nothing else.
func (i *inflater) Read(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			n, err = 0, fmt.Errorf("inflating: %v", r)
		}
	}()
	return i.Reader.Read(p)
}

// Close closes what is below.
func (i *inflater) Close() error {
	var errs []error
	for _, c := range i.closers {
		errs = append(errs, c.Close())
	}
	i.Reader, i.closers = closedReader{}, nil
	return errors.Join(errs...)
}

// closedReader is what is left of a closed body: its decoder may be another's.
type closedReader struct{}

// Read fails.
func (closedReader) Read([]byte) (int, error) { return 0, http.ErrBodyReadAfterClose }

// closeFunc is a function as an io.Closer.
type closeFunc func()

// Close calls the function.
func (f closeFunc) Close() error { f(); return nil }

var gzips sync.Pool // of *gzip.Reader

func newGzip(src io.ReadCloser) (io.ReadCloser, error) {
	z, _ := gzips.Get().(*gzip.Reader)
	if z == nil {
		z = new(gzip.Reader)
	}
	if err := z.Reset(src); err != nil {
		return nil, err
	}
	return &inflater{Reader: z, closers: []io.Closer{closeFunc(func() { gzips.Put(z) }), src}}, nil
}

// zstdWindows are the windows decoders are made for. A decoder refuses frames
// with a larger one, so a body whose first frame has a small window cannot go on
// with a larger. RFC 8878 asks decoders for 8 MiB at least; a body compressed in
// one go has a window of its own size.
var zstdWindows = [...]int64{256 << 10, 1 << 20, 8 << 20, 32 << 20}

var zstds [len(zstdWindows)]sync.Pool // of *zstd.Decoder

// zstdClass chooses the window for a body by the header of its first frame.
func zstdClass(header *zstd.Header, maxBytes int64) (int, error) {
	if header.HasFCS && header.FrameContentSize > uint64(maxBytes) {
		return 0, tooLarge("max_request_bytes", maxBytes)
	}
	window := header.WindowSize
	if header.SingleSegment {
		window = header.FrameContentSize
	}
	if header.Skippable { // says nothing about the frames behind it
		window = uint64(zstdWindows[len(zstdWindows)-1])
	}
	for class, size := range zstdWindows {
		if window <= uint64(size) {
			return class, nil
		}
	}
	return 0, fmt.Errorf("zstd: a window of %d bytes, want at most %d", window, zstdWindows[len(zstdWindows)-1])
}

func newZstd(src io.ReadCloser, maxBytes int64) (io.ReadCloser, int64, error) {
	buffered := bufio.NewReader(src)
	start, err := buffered.Peek(zstd.HeaderMaxSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	var header zstd.Header
	if err := header.Decode(start); err != nil {
		return nil, 0, fmt.Errorf("zstd: %w", err)
	}
	class, err := zstdClass(&header, maxBytes)
	if err != nil {
		return nil, 0, err
	}
	d, _ := zstds[class].Get().(*zstd.Decoder)
	if d == nil {
		d, err = zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(zstdWindows[class])))
	} else {
		err = d.Reset(buffered)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("zstd: %w", err)
	}
	back := closeFunc(func() {
		if d.Reset(nil) == nil {
			zstds[class].Put(d)
		}
	})
	// The decoder holds a window and the block before it.
	return &inflater{Reader: d, closers: []io.Closer{back, src}}, 2 * zstdWindows[class], nil
}
