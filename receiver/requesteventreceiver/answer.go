package requesteventreceiver

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/admission"
)

// answer is the JSON body of every answer.
type answer struct {
	status     int
	retryAfter time.Duration // 0: no Retry-After

	Accepted int        `json:"accepted"`
	Rejected int        `json:"rejected"`
	Errors   []rejected `json:"errors,omitempty"`
	// Omitted counts rejected lines that are not listed.
	Omitted int `json:"errors_omitted,omitempty"`

	// Error says why the body as a whole was refused.
	Error string `json:"error,omitempty"`
	// Limit names the setting that was exceeded, Max its value.
	Limit string `json:"limit,omitempty"`
	Max   int64  `json:"max,omitempty"`
}

type rejected struct {
	Line      int    `json:"line"`
	Error     string `json:"error"`
	RequestID string `json:"request_id,omitempty"`
}

func (a *answer) reject(line int, requestID string, lerr *lineError, limit int) {
	a.Rejected++
	if len(a.Errors) >= limit {
		a.Omitted++
		return
	}
	a.Errors = append(a.Errors, rejected{Line: line, Error: lerr.text, RequestID: requestID})
}

// shortened gives the answer as JSON of at most limit bytes, with as many errors as
// fit.
func (a *answer) shortened(limit int) []byte {
	for n := len(a.Errors); ; n /= 2 {
		short := *a
		short.Errors = a.Errors[:n]
		short.Omitted += len(a.Errors) - n
		text, err := json.Marshal(&short)
		if err == nil && len(text) <= limit {
			return text
		}
		if n == 0 {
			return nil
		}
	}
}

func (r *requestEventReceiver) write(w http.ResponseWriter, req *http.Request, a *answer) {
	w.Header().Set("Content-Type", "application/json")
	if a.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(a.retryAfter.Seconds()))))
	}
	if a.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if a.status != http.StatusOK {
		r.telemetry.ReceiverRequestEventRejectedBodies.Add(req.Context(), 1,
			metric.WithAttributeSet(attribute.NewSet(attribute.Int("http.response.status_code", a.status))))
	}
	admission.ExtendWrite(w)
	w.WriteHeader(a.status)
	if err := json.NewEncoder(w).Encode(a); err != nil {
		r.set.Logger.Debug("The sender went away before its answer", zap.Error(err))
	}
}

// refuse answers with an error that concerns the body as a whole. The server's
// own layers (authentication, decompression) use it too.
func (r *requestEventReceiver) refuse(w http.ResponseWriter, req *http.Request, text string, status int) {
	if strings.HasPrefix(text, "unsupported Content-Encoding") {
		status = http.StatusUnsupportedMediaType
		text += ": want gzip, zstd or identity"
	}
	r.write(w, req, &answer{status: status, Error: text})
}
