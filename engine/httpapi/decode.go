package httpapi

import (
	"errors"
	"io"

	"github.com/trackwayhq/trackway/engine/blockcompress"
)

// watched remembers how reading from a request ended, to tell a body that
// cannot be decoded from one that did not arrive.
type watched struct {
	io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// decodeErrors gives a decoder's errors ClickHouse's code for the compression;
// errors of the source below it pass as they are.
type decodeErrors struct {
	decoder io.Reader
	source  *watched
	code    int
	name    string
}

func (d *decodeErrors) Read(p []byte) (int, error) {
	n, err := d.decoder.Read(p)
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, blockcompress.ErrCorrupted) {
		return n, err
	}
	if d.source.err != nil && !errors.Is(d.source.err, io.EOF) {
		return n, err
	}
	return n, exception(d.code, d.name, "Cannot decompress the body of the request: %v", err)
}
