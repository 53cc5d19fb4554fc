package httpapi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// insert feeds the body to the engine piece by piece. A body that breaks off
// cancels the statement; once the body is complete, the statement runs to its
// end whether or not its client waits.
func (e *execution) insert() error {
	out, err := e.newOutput()
	if err != nil {
		return err
	}
	stats, err := e.feed()
	if err != nil {
		out.abandon()
		return err
	}
	e.stats = stats
	// As ClickHouse counts it, an INSERT has read what it has written.
	e.stats.RowsRead, e.stats.BytesRead = stats.RowsWritten, stats.BytesWritten
	return e.answer(out, nil)
}

func (e *execution) feed() (chdb.Stats, error) {
	stream, err := e.conn.Insert(e.statement.Text, e.statement.Format, e.request.params)
	if err != nil {
		return chdb.Stats{}, err
	}
	defer stream.Close()
	buffer := make([]byte, pieceSize)
	for {
		n, readErr := e.data.Read(buffer)
		if n > 0 {
			if _, err := stream.Write(buffer[:n]); errors.Is(err, io.ErrClosedPipe) {
				// The engine stopped reading; its reason comes with Finish.
				return stream.Finish()
			} else if err != nil {
				return chdb.Stats{}, err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return stream.Finish()
		}
		if readErr != nil {
			return chdb.Stats{}, fmt.Errorf("the body of the request broke off: %w", readErr)
		}
	}
}

// insertSelect runs INSERT … SELECT … FROM input('…') FORMAT …: input() becomes
// a file() over a pipe that the body flows through.
func (e *execution) insertSelect() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe for the rows of an INSERT: %w", err)
	}
	source := fmt.Sprintf("file(%s, %s, ", quote(pathOf(reader)), quote(e.statement.Format))
	statement, found := e.statement.ReplaceCall("input", source)
	if !found {
		// Nothing reads the rows: the SELECT has tables of its own.
		if err := errors.Join(reader.Close(), writer.Close()); err != nil {
			return err
		}
		return e.gather()
	}
	e.statement = statement
	fed := make(chan error, 1)
	ended := make(chan struct{})
	go func() { fed <- e.feedPipe(writer, ended) }()
	err = e.gather()
	close(ended)
	// With no reader left, a copy the engine did not want ends too.
	closeErr := reader.Close()
	if feedErr := <-fed; err == nil && feedErr != nil {
		return feedErr
	}
	return errors.Join(err, closeErr)
}

// feedPipe copies the body into the pipe. The engine cannot tell the end of a
// body that broke off from its proper end, so then it is told to stop first.
func (e *execution) feedPipe(writer *os.File, ended <-chan struct{}) error {
	_, err := io.Copy(writer, e.data)
	switch {
	case errors.Is(err, syscall.EPIPE):
		// The engine wanted no more; it has its reasons or its rows.
		err = nil
	case err != nil:
		e.server.killOnce(ended, e.comment)
		err = fmt.Errorf("the body of the request broke off: %w", err)
	}
	return errors.Join(err, writer.Close())
}
