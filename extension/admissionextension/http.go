package admissionextension

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc/codes"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/otlpmeter"
)

var _ extensionmiddleware.HTTPServer = (*admissionExtension)(nil)

// GetHTTPHandler wraps the handler of a server. What it gets has passed the
// server's authentication, and its decompression unless that was turned off.
func (a *admissionExtension) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serveHTTP(w, r, next) }), nil
	}, nil
}

func (a *admissionExtension) serveHTTP(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		next.ServeHTTP(w, r) // brings no data
		return
	}
	ctx := r.Context()
	p, refusal := a.admit(client.FromContext(ctx).Auth, time.Now())
	if refusal != nil {
		a.answer(w, r, refusal)
		return
	}
	q := &request{a: a, project: p}
	answered := &responseWriter{ResponseWriter: w, a: a, r: r}
	// Also when the handler panics, which net/http survives.
	defer func() { q.finish(answered.status >= 200 && answered.status < 300) }()

	arrived := deadline(w, a.cfg.ReceiveTimeout)
	b, refusal := a.open(r, q, arrived)
	if refusal != nil {
		a.answer(w, r, refusal)
		return
	}
	answered.body = b
	raw := r.Body
	defer func() {
		b.charge(b.read) // a handler need not read to the end
		_ = b.Close()
	}()
	inner := r.WithContext(admission.NewContext(ctx, q))
	inner.Body = b
	next.ServeHTTP(answered, inner)
	if b.failure != nil {
		// A sender that is still writing when the connection is closed may never see
		// the answer. What it has left is as long as a body may be, or it is cut off.
		_, _ = io.CopyN(io.Discard, raw, a.cfg.MaxRequestBytes)
	}
}

// open takes what is known about a body before it is read: its length, and what
// its decoder needs.
func (a *admissionExtension) open(r *http.Request, q *request, arrived func()) (*body, *admission.Refusal) {
	encoding := r.Header.Get("Content-Encoding")
	b := &body{q: q, max: a.cfg.MaxRequestBytes, arrived: arrived, meter: meterOf(r)}
	src, extra, err := inflate(encoding, r.Body, a.cfg.MaxRequestBytes)
	if err != nil {
		return nil, b.unreadable(err)
	}
	b.ReadCloser, b.extra = src, extra
	if src != r.Body {
		r.Header.Del("Content-Encoding")
		r.Header.Del("Content-Length")
		r.ContentLength = -1
	}
	if r.ContentLength > a.cfg.MaxRequestBytes {
		return nil, b.abandon(tooLarge("max_request_bytes", a.cfg.MaxRequestBytes))
	}
	// A body that cannot fit is refused before it is sent.
	if refusal := b.hold(extra + max(0, r.ContentLength)); refusal != nil {
		return nil, b.abandon(refusal)
	}
	return b, nil
}

// meterOf gives the meter of a request of OTLP, nil for others.
func meterOf(r *http.Request) otlpmeter.Meter {
	switch mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType {
	case protobufType:
		return otlpmeter.ForPath(r.URL.Path, false)
	case jsonType:
		return otlpmeter.ForPath(r.URL.Path, true)
	}
	return nil
}

// abandon closes a body that will not be read.
func (b *body) abandon(refusal *admission.Refusal) *admission.Refusal {
	_ = b.Close()
	return refusal
}

// unreadable is the answer to a body whose beginning cannot be read.
func (b *body) unreadable(err error) *admission.Refusal {
	if b.explain(err); b.failure != nil {
		return b.failure
	}
	return &admission.Refusal{
		HTTP: http.StatusBadRequest, Code: codes.InvalidArgument, Reason: "encoding",
		Message: fmt.Sprintf("the body cannot be inflated: %v", err),
	}
}
