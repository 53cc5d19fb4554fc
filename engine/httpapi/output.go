package httpapi

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/trackwayhq/trackway/engine/blockcompress"
	"github.com/trackwayhq/trackway/engine/native"
)

// errClientGone is what writing to a client that closed its connection gives.
var errClientGone = errors.New("the client closed the connection")

// output is the way of a result to the client: re-encoded Native, compression,
// then a buffer that holds the headers back, so that an error in the first
// MiB is still an HTTP error.
type output struct {
	top   io.Writer // where the engine's bytes go in
	below io.Writer // the same without the re-encoding of blocks
	// reencoder works on a goroutine of its own until it is closed; nil without one.
	reencoder io.Closer
	flush     func() error
	closer    []func() error // from the top down
	held      *heldBack
}

// newOutput builds the way. Its parts follow from the request and from the
// format the result is in.
func newOutput(w http.ResponseWriter, r *http.Request, request *request, format string, httpCompression bool, tempDir string, beforeHeaders func()) (*output, error) {
	o := &output{held: &heldBack{w: w, limit: request.bufferSize, spill: request.waitEndOfQuery, tempDir: tempDir, beforeHeaders: beforeHeaders}}
	o.top = o.held
	o.flush = func() error { return nil }
	encoding := ""
	if httpCompression {
		encoding = chooseEncoding(r.Header.Get("Accept-Encoding"))
	}
	if encoding != "" {
		encoder, err := newEncoder(o.top, encoding, request)
		if err != nil {
			return nil, err
		}
		w.Header().Set("Content-Encoding", encoding)
		o.push(encoder, encoder.Flush)
	}
	if request.compress {
		writer := blockcompress.NewWriter(o.top, blockMethod(request))
		o.push(writer, writer.Flush)
	}
	o.below = o.top
	if request.protocolVersion > 0 && strings.EqualFold(format, "Native") {
		writer := native.NewReencoder(o.top, request.protocolVersion)
		o.top, o.reencoder = writer, writer
		o.closer = append([]func() error{writer.Close}, o.closer...)
	}
	return o, nil
}

func (o *output) push(writer io.WriteCloser, flush func() error) {
	below := o.flush
	o.top = writer
	o.closer = append([]func() error{writer.Close}, o.closer...)
	o.flush = func() error { return errors.Join(flush(), below()) }
}

func blockMethod(request *request) blockcompress.Method {
	switch strings.ToUpper(request.setting("network_compression_method")) {
	case "ZSTD":
		return blockcompress.ZSTD
	case "NONE":
		return blockcompress.None
	default:
		return blockcompress.LZ4
	}
}

// chooseEncoding picks from an Accept-Encoding header, in ClickHouse's order.
func chooseEncoding(accept string) string {
	accepted := map[string]bool{}
	for part := range strings.SplitSeq(accept, ",") {
		name, quality, _ := strings.Cut(part, ";")
		if q := strings.ReplaceAll(quality, " ", ""); q == "q=0" || strings.HasPrefix(q, "q=0.0") {
			continue
		}
		accepted[strings.ToLower(strings.TrimSpace(name))] = true
	}
	for _, encoding := range []string{"br", "gzip", "deflate", "zstd", "lz4"} {
		if accepted[encoding] {
			return encoding
		}
	}
	return ""
}

type flushWriter interface {
	io.WriteCloser
	Flush() error
}

func newEncoder(w io.Writer, encoding string, request *request) (flushWriter, error) {
	level := 3 // http_zlib_compression_level
	if value := request.setting("http_zlib_compression_level"); value != "" {
		if _, err := fmt.Sscanf(value, "%d", &level); err != nil {
			return nil, exception(codeBadArguments, "BAD_ARGUMENTS", "Cannot parse http_zlib_compression_level: want a number from 1 to 9, got '%s'", value)
		}
		level = max(1, min(level, 9))
	}
	switch encoding {
	case "br":
		return brotli.NewWriterLevel(w, level), nil
	case "gzip":
		return gzip.NewWriterLevel(w, level)
	case "deflate":
		return zlib.NewWriterLevel(w, level)
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	default:
		return lz4.NewWriter(w), nil
	}
}

func (o *output) Write(p []byte) (int, error) { return o.top.Write(p) }

// appendRaw puts text behind what has been written so far, whole blocks of it, and
// sends everything.
func (o *output) appendRaw(text string) error {
	if o.reencoder != nil {
		// It reports the block that was cut short, which is why we are here.
		_ = o.reencoder.Close()
	}
	if err := o.flush(); err != nil {
		return err
	}
	if _, err := io.WriteString(o.below, text); err != nil {
		return err
	}
	if err := o.flush(); err != nil {
		return err
	}
	return http.NewResponseController(o.held.w).Flush()
}

// finish ends the result.
func (o *output) finish() error {
	for _, closePart := range o.closer {
		if err := closePart(); err != nil {
			return err
		}
	}
	return o.held.finish()
}

// abandon releases what the parts hold without a word to the client.
func (o *output) abandon() {
	o.held.discard = true
	for _, closePart := range o.closer {
		// The result is given up: its errors concern nobody.
		_ = closePart()
	}
	o.held.close()
}

// heldBack keeps the first bytes of a response until there are more than limit,
// in memory, or all of them, in a file, when spill is set.
type heldBack struct {
	w             http.ResponseWriter
	limit         int
	spill         bool
	tempDir       string
	beforeHeaders func() // sets the last headers
	buffer        []byte
	file          *os.File
	committed     bool // headers are out
	discard       bool
}

func (h *heldBack) Write(p []byte) (int, error) {
	switch {
	case h.discard:
		return len(p), nil
	case h.committed:
		return h.send(p)
	case h.file != nil:
		return h.toFile(p)
	case len(h.buffer)+len(p) <= h.limit:
		h.buffer = append(h.buffer, p...)
		return len(p), nil
	case h.spill:
		return h.toFile(p)
	}
	if err := h.commit(); err != nil {
		return 0, err
	}
	return h.send(p)
}

func (h *heldBack) send(p []byte) (int, error) {
	n, err := h.w.Write(p)
	if err != nil {
		return n, fmt.Errorf("%w: %w", errClientGone, err)
	}
	return n, nil
}

func (h *heldBack) toFile(p []byte) (int, error) {
	if h.file == nil {
		file, err := os.CreateTemp(h.tempDir, "result-")
		if err != nil {
			return 0, fmt.Errorf("hold back a result for wait_end_of_query: %w", err)
		}
		// Without a name, the file goes with the process whatever happens.
		if err := os.Remove(file.Name()); err != nil {
			return 0, errors.Join(err, file.Close())
		}
		h.file = file
	}
	return h.file.Write(p)
}

// commit sends the headers and what was held back.
func (h *heldBack) commit() error {
	h.committed = true
	h.beforeHeaders()
	if _, err := h.send(h.buffer); err != nil {
		return err
	}
	h.buffer = nil
	if h.file == nil {
		return nil
	}
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(h.w, h.file); err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}

func (h *heldBack) finish() error {
	defer h.close()
	if h.committed || h.discard {
		return nil
	}
	return h.commit()
}

// close releases the file. It has no name and holds nothing that is needed.
func (h *heldBack) close() {
	if h.file != nil {
		_ = h.file.Close()
		h.file = nil
	}
}
