package admissionextension

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
)

// snappyFrame begins a body in the framing format, which some senders call snappy
// too.
const snappyFrame = "\xff\x06\x00\x00sNaPpY"

// newSnappy takes both formats.
func newSnappy(src io.ReadCloser, maxBytes int64) (io.ReadCloser, int64, error) {
	buffered := bufio.NewReader(src)
	start, err := buffered.Peek(binary.MaxVarintLen64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if bytes.HasPrefix(start, []byte(snappyFrame)) {
		return &inflater{Reader: snappy.NewReader(buffered), closers: []io.Closer{src}}, snappyFrameBytes, nil
	}
	size, err := snappy.DecodedLen(start)
	if err != nil {
		return nil, 0, fmt.Errorf("snappy: %w", err)
	}
	if int64(size) > maxBytes {
		return nil, 0, tooLarge("max_request_bytes", maxBytes)
	}
	most := snappy.MaxEncodedLen(size)
	block := &snappyBlock{src: buffered, most: int64(most)}
	return &inflater{Reader: block, closers: []io.Closer{src}}, int64(most) + int64(size), nil
}

// snappyBlock inflates a block, which cannot be done bit by bit, when it is first
// read: by then what it needs is held.
type snappyBlock struct {
	src     io.Reader
	most    int64 // compressed bytes that can be of use
	decoded *bytes.Reader
}

// Read gives the block's inflated bytes.
func (s *snappyBlock) Read(p []byte) (int, error) {
	if s.decoded == nil {
		compressed, err := io.ReadAll(io.LimitReader(s.src, s.most+1))
		if err != nil {
			return 0, err
		}
		decoded, err := snappy.Decode(nil, compressed)
		if err != nil {
			return 0, fmt.Errorf("snappy: %w", err)
		}
		s.decoded = bytes.NewReader(decoded)
	}
	return s.decoded.Read(p)
}
