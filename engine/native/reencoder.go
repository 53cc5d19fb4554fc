package native

import (
	"errors"
	"io"
)

// reencoder runs a transcoder on a goroutine of its own, because blocks are
// pulled from a reader and the engine's output is pushed.
type reencoder struct {
	in     handoff
	done   chan struct{}
	err    error // of the transcoder, valid once done is closed
	closed bool
}

// NewReencoder returns a writer that takes the engine's Native output
// (revision 0), cut in any way, and writes it to dst as a client of the given
// protocol revision reads it. Each block goes to dst in one Write, by the Write
// that brings its last byte; nothing of a block with a column that cannot be
// decoded is written. It holds one block in memory.
//
// dst is written to only while Write or Close runs. The first error, of the
// input or of dst, is returned by the Write that meets it, every later one, and
// Close. Close must be called, also after an error: it ends the goroutine and
// reports a block that was cut short. It does not close dst. Write and Close
// must not be called at the same time.
//
// Revision 0 is the engine's own and copies.
func NewReencoder(dst io.Writer, revision uint64) io.WriteCloser {
	if revision == 0 {
		return copier{dst}
	}
	re := &reencoder{in: handoff{pieces: make(chan []byte), taken: make(chan struct{})}, done: make(chan struct{})}
	go func() {
		defer close(re.done)
		re.err = newTranscoder(&re.in, dst, revision).run()
	}()
	return re
}

func (re *reencoder) Write(p []byte) (int, error) {
	if re.closed {
		return 0, io.ErrClosedPipe
	}
	if len(p) == 0 {
		return 0, nil
	}
	select {
	case re.in.pieces <- p:
	case <-re.done:
		return 0, re.err
	}
	select {
	case <-re.in.taken:
		return len(p), nil
	case <-re.done:
		return 0, re.err
	}
}

func (re *reencoder) Close() error {
	if !re.closed {
		re.closed = true
		close(re.in.pieces)
		<-re.done
	}
	if errors.Is(re.err, errEnd) {
		return nil
	}
	return re.err
}

// handoff is a pipe whose writer waits until the reader has come back for more:
// by then everything that follows from what was written has happened.
type handoff struct {
	pieces chan []byte
	taken  chan struct{}
	piece  []byte // what is left of the piece being read
	begun  bool
	ended  bool
}

func (h *handoff) Read(p []byte) (int, error) {
	if len(h.piece) == 0 {
		if h.ended {
			return 0, io.EOF
		}
		if h.begun {
			h.taken <- struct{}{}
		}
		h.begun = true
		piece, ok := <-h.pieces
		if !ok {
			h.ended = true
			return 0, io.EOF
		}
		h.piece = piece
	}
	n := copy(p, h.piece)
	h.piece = h.piece[n:]
	return n, nil
}

type copier struct{ io.Writer }

func (copier) Close() error { return nil }
