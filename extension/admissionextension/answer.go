package admissionextension

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/trackwayhq/trackway/internal/admission"
)

// The media types of OTLP.
const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// refusalJSON is the answer to senders of anything but protobuf: OTLP clients
// read code and message (google.rpc.Status), those of NDJSON the rest.
type refusalJSON struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Error   string `json:"error"`
	Limit   string `json:"limit,omitempty"`
	Max     int64  `json:"max,omitempty"`
}

// answer tells a sender over HTTP why its request is not taken.
func (a *admissionExtension) answer(w http.ResponseWriter, r *http.Request, refusal *admission.Refusal) {
	a.telemetry.refuse(r.Context(), refusal.Reason)
	var text []byte
	var err error
	contentType := jsonType
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType == protobufType {
		contentType = protobufType
		text, err = proto.Marshal(refusal.GRPCStatus().Proto())
	} else {
		text, err = json.Marshal(refusalJSON{Code: int(refusal.Code), Message: refusal.Message, Error: refusal.Message, Limit: refusal.Limit, Max: refusal.Max})
	}
	status := refusal.HTTP
	if err != nil { // neither has values that cannot be written
		status, text = http.StatusInternalServerError, nil
	}
	admission.ExtendWrite(w)
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(text)))
	if refusal.RetryAfter > 0 {
		header.Set("Retry-After", strconv.FormatInt(refusal.RetrySeconds(), 10))
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the sender may be gone
}

// responseWriter puts the middleware's answer in the place of a handler's where
// the body was ended by a limit: handlers see a read error, which the upstream
// OTLP receiver answers 400.
type responseWriter struct {
	http.ResponseWriter
	a    *admissionExtension
	r    *http.Request
	body *body

	status   int
	replaced bool
}

// WriteHeader decides whose answer it is.
func (w *responseWriter) WriteHeader(status int) {
	if status < http.StatusOK { // informational: the answer is still to come
		w.ResponseWriter.WriteHeader(status)
		return
	}
	if w.status != 0 {
		return
	}
	w.status = status
	admission.ExtendWrite(w.ResponseWriter)
	failure := w.body.failure
	if failure == nil || w.body.foreign && status != http.StatusBadRequest {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.status, w.replaced = failure.HTTP, true
	w.a.answer(w.ResponseWriter, w.r, failure)
}

// Write drops what belongs to a replaced answer.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.replaced {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
