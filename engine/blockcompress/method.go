package blockcompress

import "github.com/ClickHouse/ch-go/compress"

// Method is a compression method of the frames a Writer makes.
type Method byte

// The methods ClickHouse clients accept.
const (
	None Method = iota
	LZ4
	ZSTD
)

// Method bytes as they stand in a frame.
const (
	byteNone byte = 0x02
	byteLZ4  byte = 0x82
	byteZSTD byte = 0x90
)

// String is the method's name as in ClickHouse's network_compression_method.
func (m Method) String() string {
	switch m {
	case LZ4:
		return "LZ4"
	case ZSTD:
		return "ZSTD"
	default:
		return "NONE"
	}
}

func (m Method) codec() compress.Method {
	switch m {
	case LZ4:
		return compress.LZ4
	case ZSTD:
		return compress.ZSTD
	default:
		return compress.None
	}
}
