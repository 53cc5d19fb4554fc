package requesteventreceiver

import (
	"bytes"
	"errors"
	"io"
)

const (
	// firstChunk is read of a body whose length is not known.
	firstChunk = 4 << 10
	// maxChunk bounds the chunks of a body: what is allocated on the word of a
	// Content-Length, and what one short text can keep alive.
	maxChunk = 64 << 10
	// spareBytes are those for a line end, and one more so that the length tells.
	spareBytes = 3
)

// lineReader yields the lines of a body. It reads into chunks that are never
// written to again, so that the texts of items need no copy but point into them;
// a chunk lives as long as one of its items.
type lineReader struct {
	r      io.Reader
	max    int               // bytes of a line
	charge func(n int) error // asked before n bytes are allocated
	number int               // of the line returned last, from 1

	chunk []byte
	pos   int // where the next line begins
	seen  int // up to where no line end was found
	size  int // of the next chunk
	ended bool
}

// newLineReader reads lines of at most limit bytes; length is that of the body, or
// -1.
func newLineReader(r io.Reader, limit int, length int64, charge func(int) error) *lineReader {
	l := &lineReader{r: r, max: limit, size: firstChunk, charge: charge}
	if length >= 0 {
		l.size = int(min(length+1, maxChunk)) // one more, so that the end is met
	}
	return l
}

// next returns a line without its line end; it may be written to. tooLong says that
// the line was longer than the limit; it has been skipped. The error is io.EOF after
// the last line, or that of the body.
func (l *lineReader) next() (line []byte, tooLong bool, err error) {
	for {
		if i := bytes.IndexByte(l.chunk[l.seen:], '\n'); i >= 0 {
			line = l.chunk[l.pos : l.seen+i]
			l.pos = l.seen + i + 1
			l.seen = l.pos
			return l.line(line, tooLong)
		}
		l.seen = len(l.chunk)
		if l.ended {
			if l.pos == len(l.chunk) && !tooLong {
				return nil, false, io.EOF
			}
			line = l.chunk[l.pos:]
			l.pos = len(l.chunk)
			return l.line(line, tooLong)
		}
		if len(l.chunk)-l.pos >= l.max+spareBytes {
			// No item will point to this part of the chunk.
			tooLong = true
			l.chunk = l.chunk[:l.pos]
			l.seen = l.pos
		}
		if err := l.fill(); err != nil {
			return nil, false, err
		}
	}
}

func (l *lineReader) line(line []byte, skipped bool) ([]byte, bool, error) {
	l.number++
	line = bytes.TrimSuffix(line, []byte{'\r'})
	return line, skipped || len(line) > l.max, nil
}

// fill reads more of the body, into a new chunk when this one is full.
func (l *lineReader) fill() error {
	if len(l.chunk) == cap(l.chunk) {
		rest := l.chunk[l.pos:]
		size := max(l.size, 2*len(rest))
		if l.charge != nil {
			if err := l.charge(size); err != nil {
				return err
			}
		}
		l.chunk = append(make([]byte, 0, size), rest...)
		l.seen -= l.pos
		l.pos = 0
		l.size = min(2*max(l.size, firstChunk), maxChunk)
	}
	n, err := l.r.Read(l.chunk[len(l.chunk):cap(l.chunk)])
	l.chunk = l.chunk[:len(l.chunk)+n]
	if errors.Is(err, io.EOF) {
		l.ended = true
		return nil
	}
	return err
}
