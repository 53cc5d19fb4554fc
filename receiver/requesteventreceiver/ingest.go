package requesteventreceiver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// ingest is the conversation of one body: 200 when at least one line was taken
// by the pipelines, 400 when no line is an item, otherwise what the sender must
// know to do better.
func (r *requestEventReceiver) ingest(w http.ResponseWriter, req *http.Request) {
	if err := r.checkOrigin(w, req); err != nil {
		r.refuse(w, req, err.Error(), http.StatusForbidden)
		return
	}
	if err := checkMediaType(req); err != nil {
		r.refuse(w, req, err.Error(), http.StatusUnsupportedMediaType)
		return
	}
	ctx := req.Context()
	id := req.Header.Get(batchid.Header)
	if len(id) > batchid.MaxLen {
		r.refuse(w, req, fmt.Sprintf("%s: want at most %d bytes, got %d", batchid.Header, batchid.MaxLen, len(id)), http.StatusBadRequest)
		return
	}

	held := share{of: &r.inflight}
	defer held.release()
	d := r.decoders.Get().(*decoder)
	defer r.release(d)
	d.reset(limits{
		maxBodyBytes:  r.cfg.MaxBodyBytes,
		maxAttributes: r.cfg.MaxAttributes,
		maxAge:        r.cfg.MaxAge,
		traces:        r.traces != nil,
		logs:          r.logs != nil,
	}, time.Now())

	result, err := r.read(ctx, d, newLineReader(req.Body, r.cfg.MaxLineBytes, req.ContentLength, held.take), &held)
	if err != nil {
		a := r.readFailure(err)
		// Read on, within max_request_bytes: a sender that is still writing when the
		// connection is closed may never see the answer.
		_, _ = io.Copy(io.Discard, req.Body)
		r.write(w, req, a)
		return
	}
	if d.batch.items() == 0 {
		result.status = http.StatusBadRequest
		if result.Rejected == 0 {
			result.Error = "no items in the body: want one JSON object a line"
		}
		r.write(w, req, result)
		return
	}
	result.Accepted = d.batch.items()
	result.status = http.StatusOK
	var sent *batchid.Batch
	if id != "" {
		sent = &batchid.Batch{ID: id, Answer: result.shortened(batchid.MaxAnswer)}
		ctx = batchid.With(ctx, sent)
	}
	ctx = ledger.WithRejected(ctx, result.Rejected)
	a, ok := r.deliver(ctx, d.batch)
	held.release()
	if !ok {
		r.write(w, req, a)
		return
	}
	if sent != nil {
		var before answer
		if first, repeated := sent.First(); repeated && json.Unmarshal(first, &before) == nil {
			before.status = http.StatusOK
			result = &before
		}
	}
	r.write(w, req, result)
}

// release gives a decoder back without what belongs to the body.
func (r *requestEventReceiver) release(d *decoder) {
	d.release()
	r.decoders.Put(d)
}

// read decodes the lines of the body into the decoder's batch. An error means
// that the body as a whole cannot be had, and nothing of it is delivered.
func (r *requestEventReceiver) read(ctx context.Context, d *decoder, lines *lineReader, held *share) (*answer, error) {
	result := &answer{}
	rejected := map[string]int64{}
	items := 0
	for {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if lines.number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) == 0 && !tooLong {
			continue
		}
		if items++; items > r.cfg.MaxItems {
			return nil, &limitError{name: "max_items", limit: int64(r.cfg.MaxItems), unit: "lines"}
		}
		var requestID string
		var lerr *lineError
		if tooLong {
			lerr = rejectLine(reasonTooLong, "line: longer than %d bytes (max_line_bytes)", r.cfg.MaxLineBytes)
		} else {
			requestID, lerr = d.decode(line)
		}
		if lerr != nil {
			rejected[lerr.reason]++
			result.reject(lines.number, requestID, lerr, r.cfg.MaxErrors)
			continue
		}
		if err := held.item(len(d.nodes), r.cfg.MaxDecodedBytes); err != nil {
			return nil, err
		}
	}
	for reason, n := range rejected {
		r.telemetry.ReceiverRequestEventRejectedLines.Add(ctx, n,
			metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", reason))))
	}
	return result, nil
}

// limitError is a body that is over a limit of the configuration.
type limitError struct {
	name  string
	limit int64
	unit  string
}

func (e *limitError) Error() string {
	return fmt.Sprintf("the body has more than %d %s (%s)", e.limit, e.unit, e.name)
}

// readFailure is the answer to a body that cannot be read.
func (r *requestEventReceiver) readFailure(err error) *answer {
	var busy *busyError
	if errors.As(err, &busy) {
		return &answer{status: http.StatusTooManyRequests, retryAfter: r.cfg.RetryAfter, Error: err.Error(), Limit: "max_inflight_bytes", Max: busy.limit}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		err = &limitError{name: "max_request_bytes", limit: tooLarge.Limit, unit: "bytes"}
	}
	var over *limitError
	if errors.As(err, &over) {
		return &answer{status: http.StatusRequestEntityTooLarge, Error: over.Error(), Limit: over.name, Max: over.limit}
	}
	return &answer{status: http.StatusBadRequest, Error: fmt.Sprintf("reading the body: %v", err)}
}
