package blockcompress

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Frame layout, see the package documentation.
const (
	checksumSize = 16
	methodSize   = 1
	sizesSize    = 8
	headerSize   = checksumSize + methodSize + sizesSize

	offsetMethod   = checksumSize
	offsetSize     = offsetMethod + methodSize
	offsetDataSize = offsetSize + 4
)

// MaxBlockSize bounds one frame, compressed and decompressed, in bytes.
// ClickHouse clients write frames of about 1 MiB and the engine itself refuses
// more than 1 GiB; 128 MiB is ch-go's own limit, and bounds what a forged
// header can make us allocate.
const MaxBlockSize = 128 << 20

// ErrCorrupted is wrapped by every error that says that the bytes are not a
// valid compressed stream, as opposed to errors of the underlying reader.
var ErrCorrupted = errors.New("corrupted compressed stream")

// checkHeader validates what a frame's header promises before any of it is
// read or allocated. frame counts from 0 and is only used in messages.
func checkHeader(h []byte, frame int) error {
	switch m := h[offsetMethod]; m {
	case byteNone, byteLZ4, byteZSTD:
	default:
		return fmt.Errorf("%w: frame %d: method 0x%02x, want 0x02 (none), 0x82 (LZ4) or 0x90 (ZSTD)", ErrCorrupted, frame, m)
	}
	size := uint64(binary.LittleEndian.Uint32(h[offsetSize:]))
	data := uint64(binary.LittleEndian.Uint32(h[offsetDataSize:]))
	const own = methodSize + sizesSize
	if size < own {
		return fmt.Errorf("%w: frame %d: size %d is less than its own header of %d bytes", ErrCorrupted, frame, size, own)
	}
	if size-own > MaxBlockSize || data > MaxBlockSize {
		return fmt.Errorf("%w: frame %d: %d bytes compressed, %d decompressed, want at most %d", ErrCorrupted, frame, size-own, data, MaxBlockSize)
	}
	if h[offsetMethod] == byteNone && size-own != data {
		return fmt.Errorf("%w: frame %d: method none with %d bytes of payload for %d of data", ErrCorrupted, frame, size-own, data)
	}
	return nil
}

func payloadSize(h []byte) int {
	return int(binary.LittleEndian.Uint32(h[offsetSize:])) - methodSize - sizesSize
}

func dataSize(h []byte) int {
	return int(binary.LittleEndian.Uint32(h[offsetDataSize:]))
}
