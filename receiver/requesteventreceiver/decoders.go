package requesteventreceiver

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is what RFC 8878 asks every decoder to support. A frame may ask
// for far more, and the decoder would allocate it before the first byte.
const maxZstdWindow = 8 << 20

func newZstdReader(body io.ReadCloser) (io.ReadCloser, error) {
	r, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, err
	}
	return r.IOReadCloser(), nil
}

// identity says that the body is to be read as it is.
func identity(io.ReadCloser) (io.ReadCloser, error) { return nil, nil }
