package requesteventreceiver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const readBufferBytes = 64 << 10

// lineReader yields the lines of a body without holding the body.
type lineReader struct {
	r      *bufio.Reader
	max    int
	long   []byte // a line that did not fit the reader's buffer
	number int    // of the line returned last, from 1
}

// next returns a line without its line end, valid until the next call. tooLong
// says that the line was longer than the limit; it has been skipped. The error
// is io.EOF after the last line, or that of the body.
func (l *lineReader) next() (line []byte, tooLong bool, err error) {
	l.long = l.long[:0]
	first := true
	for {
		part, err := l.r.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(part)+len(l.long) == 0 && first {
			return nil, false, io.EOF
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
		complete := err == nil || errors.Is(err, io.EOF)
		if first {
			l.number++
			if complete {
				line = trimLineEnd(part)
				return line, len(line) > l.max, nil
			}
		}
		first = false
		if !tooLong {
			// The line end, and a byte more so that the length tells, are kept.
			l.long = append(l.long, part[:min(len(part), l.max+3-len(l.long))]...)
			tooLong = len(l.long) > l.max+2
		}
		if complete {
			line = trimLineEnd(l.long)
			return line, tooLong || len(line) > l.max, nil
		}
	}
}

func trimLineEnd(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte{'\n'})
	return bytes.TrimSuffix(b, []byte{'\r'})
}
