package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/engine/chdb"
	"github.com/trackwayhq/trackway/engine/sqltext"
)

// execution is one statement from its request to its answer.
type execution struct {
	server    *Server
	w         http.ResponseWriter
	r         *http.Request
	request   *request
	started   time.Time
	conn      *chdb.Conn
	statement sqltext.Statement
	data      io.Reader // rows of an INSERT
	comment   string    // the log_comment the statement runs under
	stats     chdb.Stats
	tag       string // of an exception behind the first rows
}

func newExecution(s *Server, w http.ResponseWriter, r *http.Request, request *request, started time.Time) *execution {
	return &execution{server: s, w: w, r: r, request: request, started: started, tag: newExceptionTag()}
}

// run answers the request, whatever happens.
func (e *execution) run() {
	setHeader(e.w.Header(), "X-ClickHouse-Exception-Tag", e.tag)
	if err := e.execute(); err != nil {
		failure := asException(err)
		if failure.Code == codeReadonly && e.request.readonly {
			failure = &chdb.Exception{Code: failure.Code, Message: strings.Replace(failure.Message, "readonly mode.", "readonly mode. For queries over HTTP, method GET implies readonly. You should use method POST for modifying queries.", 1)}
		}
		e.refuse(failure)
	}
}

// execute returns an error only while nothing has been answered.
func (e *execution) execute() error {
	body, closeBody, err := openBody(e.r, e.request)
	if err != nil {
		return err
	}
	defer closeBody()
	ctx, cancel := context.WithCancel(e.r.Context())
	defer cancel()
	query, refused := e.server.running.admit(e.request.queryID, cancel)
	if refused != nil {
		return refused
	}
	defer e.server.running.remove(e.request.queryID)

	if e.statement, e.data, err = readStatement(e.request, body); err != nil {
		return err
	}
	if err := refuse(e.statement); err != nil {
		return err
	}
	if err := refuseFiles(e.statement, e.request); err != nil {
		return err
	}
	if valuesFollow(e.statement) {
		e.data = &valuesReader{Reader: e.data}
	}
	rewriteQueryID(&e.statement)

	// The engine keeps per-thread state; a statement stays on one thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	conn, release, err := e.server.sessions.acquire(e.request)
	if err != nil {
		return err
	}
	defer release()
	e.conn = conn
	restore, err := e.prepare()
	if err != nil {
		return err
	}
	defer restore()

	switch {
	case e.statement.Verb == "INSERT" && e.statement.HasData && e.statement.InsertSelect:
		return e.insertSelect()
	case e.statement.Verb == "INSERT" && e.statement.HasData:
		return e.insert()
	case producesRows[e.statement.Verb]:
		e.server.running.reads(query)
		return e.stream(ctx)
	default:
		return e.gather()
	}
}

// refuse refuses statements that would reach beyond the store: clauses that read
// and write files beside the engine (over HTTP they name files of the client),
// and the end of the process, for which the library signals its whole process
// group; and the end of the database that every connection of the library needs.
func refuse(statement sqltext.Statement) error {
	switch {
	case statement.Verb == "SYSTEM" && (statement.HasPair("SYSTEM", "SHUTDOWN") || statement.HasPair("SYSTEM", "KILL")):
		return exception(codeUnsupportedMethod, "UNSUPPORTED_METHOD", "An embedded engine is stopped by a signal to its process, not by a statement")
	case (statement.Verb == "DROP" || statement.Verb == "DETACH") &&
		(statement.HasSequence("DATABASE", "default") || statement.HasSequence("DATABASE", "IF", "EXISTS", "default")):
		return exception(codeUnsupportedMethod, "UNSUPPORTED_METHOD", "The embedded engine cannot be without its database default")
	case statement.Verb == "INSERT" && statement.HasPair("FROM", "INFILE"):
		return exception(codeUnknownTypeOfQuery, "UNKNOWN_TYPE_OF_QUERY", "Query has infile and was send directly to server")
	case statement.Verb != "INSERT" && statement.HasPair("INTO", "OUTFILE"):
		return exception(codeIntoOutfile, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed")
	}
	return nil
}

// producesRows are the verbs of statements whose results can be large; they take
// an INTO OUTFILE clause, by which the result is streamed.
var producesRows = map[string]bool{"SELECT": true, "WITH": true, "FROM": true, "SHOW": true, "DESCRIBE": true, "DESC": true, "EXISTS": true}

// format is the format of the result.
func (e *execution) format() string {
	switch {
	case e.statement.Format != "" && e.statement.Verb != "INSERT":
		return e.statement.Format
	case e.request.defaultFormat != "":
		return e.request.defaultFormat
	default:
		return "TabSeparated"
	}
}

// newOutput opens the way of the result to the client.
func (e *execution) newOutput() (*output, error) {
	format := e.format()
	header := e.w.Header()
	setHeader(header, "X-ClickHouse-Format", format)
	header.Set("Content-Type", contentType(format))
	compressible := e.server.httpCompression
	if value := e.request.setting("enable_http_compression"); value != "" {
		compressible = truth(value)
	}
	return newOutput(e.w, e.r, e.request, format, compressible, e.server.options.TempDir, e.setSummary)
}

// setSummary sets X-ClickHouse-Summary from what is known by now.
func (e *execution) setSummary() {
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	resultRows, resultBytes := e.stats.ResultRows, e.stats.ResultBytes
	if e.statement.Verb == "INSERT" {
		resultRows, resultBytes = e.stats.RowsWritten, e.stats.BytesWritten
	}
	summary, err := json.Marshal(struct {
		ReadRows        string `json:"read_rows"`
		ReadBytes       string `json:"read_bytes"`
		WrittenRows     string `json:"written_rows"`
		WrittenBytes    string `json:"written_bytes"`
		TotalRowsToRead string `json:"total_rows_to_read"`
		ResultRows      string `json:"result_rows"`
		ResultBytes     string `json:"result_bytes"`
		ElapsedNs       string `json:"elapsed_ns"`
	}{
		number(e.stats.RowsRead), number(e.stats.BytesRead), number(e.stats.RowsWritten), number(e.stats.BytesWritten),
		number(e.stats.RowsRead), number(resultRows), number(resultBytes), strconv.FormatInt(time.Since(e.started).Nanoseconds(), 10),
	})
	if err == nil { // a struct of strings always marshals
		setHeader(e.w.Header(), "X-ClickHouse-Summary", string(summary))
	}
}

// gather runs a statement with a small result or none.
func (e *execution) gather() error {
	out, err := e.newOutput()
	if err != nil {
		return err
	}
	result, err := e.conn.Query(e.statement.Text, e.format(), e.request.params)
	if err != nil {
		out.abandon()
		return err
	}
	defer result.Close()
	e.stats = result.Stats()
	if f := e.server.options.TablesChanged; f != nil && makesTables[e.statement.Verb] {
		f()
	}
	return e.answer(out, result.Bytes())
}

// makesTables are the verbs of statements after which there can be tables, or
// deduplication logs of tables, that were not there before.
var makesTables = map[string]bool{"CREATE": true, "ATTACH": true, "ALTER": true, "RESTORE": true, "UNDROP": true, "REPLACE": true}

// answer sends a result that is complete. Errors are the client's absence.
func (e *execution) answer(out *output, result []byte) error {
	_, err := out.Write(result)
	if err == nil {
		err = out.finish()
	}
	if err != nil && !errors.Is(err, errClientGone) {
		out.abandon()
		return err
	}
	return nil
}

// refuse answers with an exception while no byte has been sent. With compress=1
// its text is compressed as the result would have been.
func (e *execution) refuse(failure *chdb.Exception) {
	header := e.w.Header()
	header.Del("Content-Encoding")
	e.setSummary()
	setHeader(header, "X-ClickHouse-Exception-Code", strconv.Itoa(failure.Code))
	header.Set("Content-Type", "text/plain; charset=UTF-8")
	text := e.server.text(failure) + "\n"
	if e.request.compress {
		text = compressed(text, e.request)
	}
	e.w.WriteHeader(statusOf(failure.Code))
	// A client that is gone has no use for the error.
	_, _ = io.WriteString(e.w, text)
	e.drain()
}

// quietDrain is how much of a body is read before its client is told that
// nobody wants it: less than that is cheaper to read than to tell.
const quietDrain = 1 << 20

// drain reads what is left of the body, so that the client reads the answer
// instead of a reset, and the connection can be used again.
func (e *execution) drain() {
	if _, err := io.CopyN(io.Discard, e.r.Body, quietDrain); err != nil {
		return // at its end, or broken off
	}
	if err := http.NewResponseController(e.w).Flush(); err != nil {
		return
	}
	// The client may stop now, or send all of it.
	_, _ = io.Copy(io.Discard, e.r.Body)
}

// exceptionLimit is the largest exception block that clients look for.
const exceptionLimit = 16 << 10

// interrupt reports an exception behind the first rows: a framed block at the
// end, and a response that does not end properly.
func (e *execution) interrupt(out *output, failure *chdb.Exception) {
	message := e.server.text(failure)
	if len(message) > exceptionLimit-128 {
		message = message[:exceptionLimit-128]
	}
	block := fmt.Sprintf("\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", e.tag, message, len(message)+1, e.tag)
	if err := out.appendRaw(block); err != nil {
		e.server.options.Log.Debug("an exception could not be told to its client", "query_id", e.request.queryID, "error", err)
	}
	panic(http.ErrAbortHandler)
}
