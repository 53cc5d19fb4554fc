package requesteventreceiver

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const dataFormat = "ndjson"

// deliver hands the batch to the pipelines: traces, then logs. When one of them
// refuses, ok is false and the answer says what the sender should do. A body is
// answered as a whole, so when it is sent again after only its logs were refused,
// its traces arrive twice; a sender that gives the batch an id is counted once.
func (r *requestEventReceiver) deliver(ctx context.Context, b *batch) (_ *answer, ok bool) {
	if b.spans > 0 {
		octx := r.obs.StartTracesOp(ctx)
		err := r.traces.ConsumeTraces(octx, b.traces)
		r.obs.EndTracesOp(octx, dataFormat, b.spans, err)
		if err != nil {
			return r.failure(err), false
		}
	}
	if b.records > 0 {
		octx := r.obs.StartLogsOp(ctx)
		err := r.logs.ConsumeLogs(octx, b.logs)
		r.obs.EndLogsOp(octx, dataFormat, b.records, err)
		if err != nil {
			return r.failure(err), false
		}
	}
	return nil, true
}

// failure maps a pipeline's error to an answer: a gRPC status to its HTTP code
// with the time to wait that it carries, a permanent error to 500, and anything
// else to 503, since trying again may help.
func (r *requestEventReceiver) failure(err error) *answer {
	a := &answer{Error: err.Error()}
	st, isStatus := status.FromError(err)
	switch {
	case isStatus:
		a.status = httpStatus(st.Code())
		a.Error = st.Message()
		a.retryAfter = retryDelay(st)
	case consumererror.IsPermanent(err):
		a.status = http.StatusInternalServerError
	default:
		a.status = http.StatusServiceUnavailable
	}
	switch a.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if a.retryAfter <= 0 {
			a.retryAfter = r.cfg.RetryAfter
		}
	default:
		a.retryAfter = 0
	}
	return a
}

func retryDelay(st *status.Status) time.Duration {
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

// httpStatus follows the OTLP specification in what is worth trying again.
func httpStatus(c codes.Code) int {
	switch c {
	case codes.InvalidArgument:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	case codes.ResourceExhausted:
		return http.StatusTooManyRequests
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
