package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/trackwayhq/trackway/engine/blockcompress"
	"github.com/trackwayhq/trackway/engine/chdb"
)

// pieceSize is how much of a result is taken from the engine at a time.
const pieceSize = 256 << 10

// stream runs a statement whose result flows to the client while it is made. The
// engine writes it into a pipe by INTO OUTFILE: unlike the C interface's own
// streams, which make a document of every block, that gives the same bytes as a
// server for every format, in bounded memory.
func (e *execution) stream(ctx context.Context) error {
	out, err := e.newOutput()
	if err != nil {
		return err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		out.abandon()
		return fmt.Errorf("pipe for a result: %w", err)
	}
	defer reader.Close()

	ended := make(chan struct{})
	killed := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(killed)
		select {
		case <-ended:
		case <-ctx.Done():
			e.server.killUntil(ended, e.comment)
		}
	}()
	copied := make(chan error, 1)
	go func() {
		err := copyResult(out, reader)
		if err != nil {
			cancel()
			// The engine must not wait for a reader while it is being killed.
			_, _ = io.Copy(io.Discard, reader)
		}
		copied <- err
	}()

	result, queryErr := e.query(writer)
	// The engine has closed its end; with ours closed the copy comes to its end.
	closeErr := writer.Close()
	close(ended)
	<-killed
	cancel()
	copyErr := errors.Join(<-copied, closeErr)
	if result != nil {
		e.stats = result.Stats()
		result.Close()
	}
	switch {
	case errors.Is(copyErr, errClientGone):
		out.abandon()
		return nil
	case queryErr == nil && copyErr == nil:
		return e.finishStream(out)
	case queryErr != nil:
		return e.failStream(out, queryErr)
	default:
		return e.failStream(out, copyErr)
	}
}

// query runs the statement with its result going to the pipe.
func (e *execution) query(writer *os.File) (*chdb.Result, error) {
	format := e.format()
	clause := "INTO OUTFILE " + quote(pathOf(writer)) + " APPEND"
	result, err := e.conn.Query(e.statement.WithClause(clause, format), format, e.request.params)
	var failure *chdb.Exception
	if errors.As(err, &failure) && (failure.Code == codeSyntaxError || failure.Code == codeUnknownFormat) {
		// The message would speak of a clause the client did not write. The
		// statement as it came fails the same way, with its own message.
		plain, plainErr := e.conn.Query(e.statement.Text, format, e.request.params)
		if plainErr != nil {
			return nil, plainErr
		}
		_, writeErr := writer.Write(plain.Bytes())
		return plain, writeErr
	}
	return result, err
}

// pathOf is a path by which the engine, in this process, opens the file anew.
func pathOf(file *os.File) string {
	directory := "/proc/self/fd"
	if runtime.GOOS != "linux" {
		directory = "/dev/fd"
	}
	return directory + "/" + strconv.FormatUint(uint64(file.Fd()), 10)
}

func copyResult(out io.Writer, reader io.Reader) error {
	buffer := make([]byte, pieceSize)
	for {
		n, err := reader.Read(buffer)
		if n > 0 {
			if _, err := out.Write(buffer[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (e *execution) finishStream(out *output) error {
	err := out.finish()
	if err == nil || errors.Is(err, errClientGone) {
		return nil
	}
	return e.failStream(out, err)
}

// failStream reports an error: as an HTTP error while the headers are held back,
// else behind the rows.
func (e *execution) failStream(out *output, err error) error {
	if !out.held.committed {
		out.abandon()
		return err
	}
	e.interrupt(out, asException(err))
	return nil
}

// compressed is a text in ClickHouse's block compression.
func compressed(text string, request *request) string {
	var b strings.Builder
	writer := blockcompress.NewWriter(&b, blockMethod(request))
	_, err := io.WriteString(writer, text)
	if err == nil {
		err = writer.Close()
	}
	if err != nil { // a Builder takes everything
		return text
	}
	return b.String()
}

// newExceptionTag returns 16 random lower-case letters.
func newExceptionTag() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = 'a' + b[i]%26
	}
	return string(b[:])
}

// contentTypes of formats by prefix, the longest first.
var contentTypes = []struct{ prefix, value string }{
	{"JSONEachRow", "application/x-ndjson; charset=UTF-8"},
	{"JSONLines", "application/x-ndjson; charset=UTF-8"},
	{"NDJSON", "application/x-ndjson; charset=UTF-8"},
	{"JSON", "application/json; charset=UTF-8"},
	{"CSVWithNames", "text/csv; charset=UTF-8; header=present"},
	{"CSV", "text/csv; charset=UTF-8; header=absent"},
	{"TabSeparated", "text/tab-separated-values; charset=UTF-8"},
	{"TSV", "text/tab-separated-values; charset=UTF-8"},
	{"XML", "application/xml; charset=UTF-8"},
	{"Markdown", "text/markdown; charset=UTF-8"},
	{"Native", "application/octet-stream"},
	{"RowBinary", "application/octet-stream"},
	{"Parquet", "application/octet-stream"},
	{"Arrow", "application/octet-stream"},
	{"ORC", "application/octet-stream"},
	{"Avro", "application/octet-stream"},
	{"Protobuf", "application/octet-stream"},
	{"MsgPack", "application/octet-stream"},
}

func contentType(format string) string {
	for _, t := range contentTypes {
		if len(format) >= len(t.prefix) && strings.EqualFold(format[:len(t.prefix)], t.prefix) {
			return t.value
		}
	}
	return "text/plain; charset=UTF-8"
}
