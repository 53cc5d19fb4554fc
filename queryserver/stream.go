package queryserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// schemaOf gives the schema of a type, for operations whose bodies are written by
// hand.
func schemaOf[T any](h huma.API) *huma.Schema {
	return h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// jsonResponse answers with one document.
func jsonResponse(body any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", "application/json")
		_ = json.NewEncoder(ctx.BodyWriter()).Encode(body) // fails when the reader has gone
	}}
}

// lines writes a stream of lines, each a JSON document. After the first failure,
// which is that the reader has gone, it writes nothing.
type lines struct {
	out   *bufio.Writer
	enc   *json.Encoder
	flush func()
	err   error
}

// lineBuffer is how much is put together before it is sent.
const lineBuffer = 64 << 10

func newLines(ctx huma.Context, contentType string) *lines {
	ctx.SetHeader("Content-Type", contentType)
	ctx.SetHeader("X-Accel-Buffering", "no")
	w := ctx.BodyWriter()
	l := &lines{out: bufio.NewWriterSize(w, lineBuffer), flush: func() {}}
	l.enc = json.NewEncoder(l.out)
	l.enc.SetEscapeHTML(false)
	if f, ok := w.(http.Flusher); ok {
		l.flush = f.Flush
	}
	return l
}

func (l *lines) write(v any) {
	if l.err == nil {
		l.err = l.enc.Encode(v)
	}
}

// send lets what was written go to the reader.
func (l *lines) send() {
	if l.err == nil {
		if l.err = l.out.Flush(); l.err == nil {
			l.flush()
		}
	}
}

// pages reads records in order, a page at a time. Pages are as long as keeps their
// memory within bounds, here and in the store.
type pages struct {
	// ask gives up to limit records after a cursor, nil for the first, in order.
	ask    func(ctx context.Context, after *record.ID, limit int) ([]record.Record, error)
	limit  int        // of the next page
	cursor *record.ID // the last record that was read
	done   bool
}

const (
	// firstPage is short, so that the first records are there soon.
	firstPage = 500
	// longestPage bounds the records of a page, pageBytes what they should come to.
	longestPage = 5_000
	pageBytes   = 4 << 20
	// maxPageBytes is where the store gives a page up; it is then asked for in
	// parts.
	maxPageBytes = 64 << 20
)

func newPages(ask func(context.Context, *record.ID, int) ([]record.Record, error)) *pages {
	return &pages{ask: ask, limit: firstPage}
}

// next gives the next records, none when there are no more.
func (p *pages) next(ctx context.Context) ([]record.Record, error) {
	if p.done {
		return nil, nil
	}
	found, err := p.ask(ctx, p.cursor, p.limit)
	for errors.Is(err, errPageTooBig) && p.limit > 1 {
		p.limit = max(p.limit/8, 1)
		found, err = p.ask(ctx, p.cursor, p.limit)
	}
	if err != nil {
		return nil, err
	}
	if p.done = len(found) < p.limit; len(found) == 0 {
		return nil, nil
	}
	last := found[len(found)-1].ID()
	p.cursor = &last
	bytes := 0
	for i := range found {
		bytes += sizeOf(&found[i])
	}
	p.limit = max(min(pageBytes*len(found)/max(bytes, 1), 4*p.limit, longestPage), 1)
	return found, nil
}

// errPageTooBig says that a page is longer than maxPageBytes.
var errPageTooBig = errors.New("a page of records takes too much memory: ask for fewer columns")

// sizeOf is about what a record takes in memory.
func sizeOf(r *record.Record) int {
	n := 1024 + len(r.RequestBody) + len(r.ResponseBody) + len(r.ErrorStack) + len(r.ErrorMessage) + len(r.Message) + len(r.Links)
	for _, pairs := range []record.Pairs{r.Attributes, r.Resource, r.Correlation, r.RequestHeaders, r.ResponseHeaders} {
		for _, p := range pairs {
			n += 32 + len(p.Key) + len(p.Value)
		}
	}
	return n
}

// askPage asks for a page of records. One that is too long is errPageTooBig.
func (a *api) askPage(ctx context.Context, q clickhouse.Query, row func(*clickhouse.Reader)) error {
	q.Settings["max_result_bytes"], q.Settings["result_overflow_mode"] = strconv.Itoa(maxPageBytes), "throw"
	_, err := a.store.Select(ctx, q, row)
	switch {
	case err == nil, clickhouse.IsNoSchema(err):
		return nil
	case clickhouse.IsTooMuch(err):
		return errPageTooBig
	}
	return storeProblem(ctx, err)
}
