package httpapi

import (
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/trackwayhq/trackway/engine/blockcompress"
	"github.com/trackwayhq/trackway/engine/sqltext"
)

// openBody returns the request's body as the client meant it: first its
// Content-Encoding is undone, then ClickHouse's own block compression.
func openBody(r *http.Request, request *request) (io.Reader, func(), error) {
	source := &watched{Reader: r.Body}
	var body io.Reader = source
	closeBody := func() {}
	decode := func(decoder io.Reader, code int, name string) {
		body = &decodeErrors{decoder, source, code, name}
	}
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		decode(&lazyReader{open: func() (io.Reader, error) { return gzip.NewReader(source) }}, codeZlibInflateFailed, "ZLIB_INFLATE_FAILED")
	case "zstd":
		decoder, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, nil, err
		}
		decode(decoder, codeZstdDecoderFailed, "ZSTD_DECODER_FAILED")
		closeBody = decoder.Close
	case "deflate":
		decode(&lazyReader{open: func() (io.Reader, error) { return zlib.NewReader(source) }}, codeZlibInflateFailed, "ZLIB_INFLATE_FAILED")
	case "br":
		decode(brotli.NewReader(source), codeBrotliReadFailed, "BROTLI_READ_FAILED")
	case "lz4":
		decode(lz4.NewReader(source), codeLZ4DecoderFailed, "LZ4_DECODER_FAILED")
	default:
		return nil, nil, exception(codeNotImplemented, "NOT_IMPLEMENTED", "Unknown compression method '%s' in the Content-Encoding header: use gzip, zstd, deflate, br or lz4", encoding)
	}
	if request.decompress {
		decode(blockcompress.NewReader(body), codeCannotDecompress, "CANNOT_DECOMPRESS")
	}
	return body, closeBody, nil
}

// lazyReader opens a decoder at the first Read: decoders read their header when
// they are made, which a body without bytes does not have.
type lazyReader struct {
	open   func() (io.Reader, error)
	reader io.Reader
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.reader == nil {
		reader, err := l.open()
		if err != nil {
			return 0, err
		}
		l.reader = reader
	}
	return l.reader.Read(p)
}

// eagerParse is the size up to which every piece of a body is looked at for the
// beginning of an INSERT's data; beyond it, only when the text has doubled.
const eagerParse = 64 << 10

// readStatement reads the statement that the URL begins and the body continues.
// For an INSERT with data it returns the data, of which it has read as little as
// the cut needed; the statement of any other request is read to the end of its
// body.
func readStatement(request *request, body io.Reader) (sqltext.Statement, io.Reader, error) {
	text := make([]byte, 0, 4096)
	if request.query != "" {
		text = append(append(text, request.query...), '\n')
	}
	parsedAt := 0
	for {
		if len(text) > 0 && (len(text) <= eagerParse || len(text) >= 2*parsedAt) {
			parsedAt = len(text)
			statement, err := sqltext.Parse(string(text))
			if err == nil && statement.Complete {
				return statement, io.MultiReader(strings.NewReader(string(text[statement.DataStart:])), body), nil
			}
		}
		if len(text) > request.maxQuerySize {
			return sqltext.Statement{}, nil, exception(codeSyntaxError, "SYNTAX_ERROR", "Syntax error: Max query size exceeded (can be increased with the `max_query_size` setting): more than %d bytes before any data", request.maxQuerySize)
		}
		if len(text) == cap(text) {
			text = append(make([]byte, 0, 2*cap(text)), text...)
		}
		n, err := body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sqltext.Statement{}, nil, err
		}
	}
	statement, err := sqltext.Parse(string(text))
	switch {
	case errors.Is(err, sqltext.ErrMultipleStatements):
		return statement, nil, exception(codeSyntaxError, "SYNTAX_ERROR", "Syntax error (Multi-statements are not allowed)")
	case errors.Is(err, sqltext.ErrSemicolonBeforeData):
		return statement, nil, exception(codeSyntaxError, "SYNTAX_ERROR", "You have ';' symbol before data in INSERT query. Error in data")
	case err != nil:
		return statement, nil, err
	}
	if strings.TrimSpace(statement.Text) == "" {
		return statement, nil, exception(codeSyntaxError, "SYNTAX_ERROR", "Syntax error: Empty query")
	}
	data := ""
	if statement.HasData {
		data = string(text[statement.DataStart:])
	}
	return statement, strings.NewReader(data), nil
}
