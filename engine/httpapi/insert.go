package httpapi

import (
	"errors"
	"fmt"
	"io"

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
	stats, err := e.feed(e.statement.Text)
	if err != nil {
		out.abandon()
		return err
	}
	e.stats = stats
	// As ClickHouse counts it, an INSERT has read what it has written.
	e.stats.RowsRead, e.stats.BytesRead = stats.RowsWritten, stats.BytesWritten
	return e.answer(out, nil)
}

// feed runs an INSERT with the rows of the body.
func (e *execution) feed(insert string) (chdb.Stats, error) {
	stream, err := e.conn.Insert(insert, e.statement.Format, e.request.params)
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

// inputTable holds the rows of an INSERT … SELECT … FROM input(…).
const inputTable = "_input_rows"

// insertSelect runs INSERT … SELECT … FROM input('…') FORMAT …: input() becomes a
// temporary table, on disk, that the body is read into first. So a body that
// breaks off inserts nothing, and the statement needs no right to read files.
func (e *execution) insertSelect() (err error) {
	structure, statement, found := e.statement.ReplaceInput(inputTable)
	if !found {
		// Nothing reads the rows: the SELECT has tables of its own.
		return e.gather()
	}
	if err := e.conn.Exec("CREATE TEMPORARY TABLE " + inputTable + " (" + structure + ") ENGINE = StripeLog"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.conn.Exec("DROP TEMPORARY TABLE "+inputTable)) }()
	if _, err := e.feed("INSERT INTO " + inputTable); err != nil {
		return err
	}
	e.statement = statement
	return e.gather()
}
