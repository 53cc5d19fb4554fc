package native

import (
	"errors"
	"io"
	"sync"
)

// reencoder runs a transcoder on a goroutine of its own, because blocks are
// pulled from a reader and the engine's output is pushed.
type reencoder struct {
	pipe  *io.PipeWriter
	done  chan struct{}
	err   error // of the transcoder, valid once done is closed
	close sync.Once
}

// NewReencoder returns a writer that takes the engine's Native output
// (revision 0), cut in any way, and writes it to dst as a client of the given
// protocol revision reads it. Each block goes to dst in one Write, as soon as
// its last byte has arrived; nothing of a block with a column that cannot be
// decoded is written. It holds one block in memory.
//
// The first error, of the input or of dst, is returned by the Write that meets
// it, every later one, and Close. Close must be called, also after an error: it
// ends the goroutine and reports a block that was cut short. It does not close
// dst, and dst is not written to once it has returned.
//
// Revision 0 is the engine's own and copies.
func NewReencoder(dst io.Writer, revision uint64) io.WriteCloser {
	if revision == 0 {
		return copier{dst}
	}
	r, w := io.Pipe()
	re := &reencoder{pipe: w, done: make(chan struct{})}
	go func() {
		defer close(re.done)
		re.err = newTranscoder(r, dst, revision).run()
		// The pipe makes this the error of Writes that still wait or come later.
		_ = r.CloseWithError(re.err)
	}()
	return re
}

func (re *reencoder) Write(p []byte) (int, error) {
	return re.pipe.Write(p)
}

func (re *reencoder) Close() error {
	re.close.Do(func() {
		_ = re.pipe.Close()
		<-re.done
	})
	if errors.Is(re.err, errEnd) {
		return nil
	}
	return re.err
}

type copier struct{ io.Writer }

func (copier) Close() error { return nil }
