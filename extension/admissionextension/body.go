package admissionextension

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/otlpmeter"
)

// holdStep is in what steps the budget is taken while a body is inflated.
const holdStep = 64 << 10

// body counts what a handler reads of an inflated body, and ends it where a limit
// is exceeded.
type body struct {
	io.ReadCloser
	q       *request
	max     int64
	read    int64
	charged int64
	held    int64 // bytes of the budget, of which extra are for a decoder's window
	extra   int64
	arrived func()

	// failure is why reading ended too early. The handler only sees an error, and
	// answers as it likes; the middleware then answers in its place.
	failure *admission.Refusal
	// meter tells what an OTLP body takes decoded; nil for others.
	meter otlpmeter.Meter
	// foreign is a failure that the handler may know better: it is answered in the
	// handler's place only where that calls it a bad request.
	foreign bool
}

// Read counts, and fails with the refusal once there is one.
func (b *body) Read(p []byte) (int, error) {
	if b.failure != nil && !b.foreign {
		return 0, b.failure
	}
	// One byte more than is allowed tells a body that ends there from a longer one.
	if room := b.max - b.read + 1; int64(len(p)) > room {
		p = p[:room]
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if b.read > b.max {
		return 0, b.fail(tooLarge("max_request_bytes", b.max))
	}
	if refusal := b.decoded(p[:n]); refusal != nil {
		return 0, b.fail(refusal)
	}
	if refusal := b.account(); refusal != nil {
		return 0, b.fail(refusal)
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		b.charge(b.read)
		b.arrived()
	default:
		b.explain(err)
	}
	return n, err
}

// decoded looks at what p takes when it is decoded.
func (b *body) decoded(p []byte) *admission.Refusal {
	if b.meter == nil {
		return nil
	}
	if _, err := b.meter.Write(p); err != nil {
		return badStructure(err)
	}
	if limit := b.q.a.cfg.MaxDecodedBytes; b.meter.Bytes() > limit {
		return tooMuchDecoded(limit)
	}
	return nil
}

// account holds and charges what was read, in steps.
func (b *body) account() *admission.Refusal {
	want := min((b.read+holdStep-1)/holdStep*holdStep, b.max)
	decoded := int64(0)
	if b.meter != nil {
		decoded = min((b.meter.Bytes()+holdStep-1)/holdStep*holdStep, b.q.a.cfg.MaxDecodedBytes)
	}
	if all := b.extra + want + decoded; all > b.held {
		if refusal := b.hold(all); refusal != nil {
			return refusal
		}
	}
	if b.read > b.charged {
		b.charge(want)
	}
	return nil
}

// charge makes the project have been charged n bytes.
func (b *body) charge(n int64) {
	b.q.charge(amount{Bytes: n - b.charged})
	b.charged = n
}

// hold takes n bytes of the budget in all. What is held stays so until the answer:
// by then the body has become decoded data.
func (b *body) hold(n int64) *admission.Refusal {
	b.held = n
	return b.q.hold(n)
}

func (b *body) fail(refusal *admission.Refusal) error {
	b.failure, b.foreign = refusal, false
	return refusal
}

// explain turns errors of the layers below into answers.
func (b *body) explain(err error) {
	var tooLong *http.MaxBytesError
	var refusal *admission.Refusal
	switch {
	case errors.As(err, &refusal):
		b.failure = refusal
	case errors.As(err, &tooLong):
		b.failure, b.foreign = tooLarge("max_request_body_size", tooLong.Limit), true
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.failure = &admission.Refusal{
			HTTP: http.StatusRequestTimeout, Code: codes.DeadlineExceeded, Reason: "receive_timeout",
			Message: fmt.Sprintf("the body did not arrive within %s (receive_timeout)", b.q.a.cfg.ReceiveTimeout),
		}
	}
}

// deadline gives the body of a request until timeout to arrive; arrived lifts it.
func deadline(w http.ResponseWriter, timeout time.Duration) (arrived func()) {
	c := http.NewResponseController(w)
	if err := c.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return func() {} // not a connection: the server has no timeouts at all
	}
	return func() { _ = c.SetReadDeadline(time.Time{}) }
}
