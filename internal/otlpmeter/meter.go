package otlpmeter

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep messages may lie in each other: what protobuf for Go allows.
// Decoders call themselves for each level, and a stack that is too deep ends the
// process.
const MaxDepth = 10_000

// ErrTooDeep is the error of Write for messages deeper than MaxDepth.
var ErrTooDeep = errors.New("nested too deep")

func tooDeep() error {
	return fmt.Errorf("%w: want messages at most %d deep", ErrTooDeep, MaxDepth)
}

// Meter is told the bytes of one request in order. It keeps none of them.
type Meter interface {
	// Write takes the next bytes. Its only error is ErrTooDeep.
	Write(p []byte) (int, error)
	// Bytes is how much memory the request takes decoded, as far as it was
	// written, beside the bytes of its texts, which are not more than it has.
	Bytes() int64
}
