package requesteventreceiver

import (
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is what RFC 8878 asks every decoder to support. A frame may ask
// for far more, and the decoder would allocate it before the first byte.
const maxZstdWindow = 8 << 20

// zstdReaders keeps decoders of bodies that were read: a new one allocates as much
// as an ordinary body takes.
var zstdReaders sync.Pool

// zstdReader gives its decoder back when the body is closed.
type zstdReader struct{ *zstd.Decoder }

func newZstdReader(body io.ReadCloser) (io.ReadCloser, error) {
	if d, ok := zstdReaders.Get().(*zstd.Decoder); ok {
		if err := d.Reset(body); err != nil {
			return nil, err
		}
		return &zstdReader{d}, nil
	}
	d, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, err
	}
	return &zstdReader{d}, nil
}

// Read fails once the reader is closed.
func (r *zstdReader) Read(p []byte) (int, error) {
	if r.Decoder == nil {
		return 0, io.ErrClosedPipe
	}
	return r.Decoder.Read(p)
}

// Close may be called more than once.
func (r *zstdReader) Close() error {
	d := r.Decoder
	if d == nil {
		return nil
	}
	r.Decoder = nil
	if err := d.Reset(nil); err != nil {
		return err
	}
	zstdReaders.Put(d)
	return nil
}

// identity says that the body is to be read as it is.
func identity(io.ReadCloser) (io.ReadCloser, error) { return nil, nil }
