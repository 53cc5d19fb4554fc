package requesteventreceiver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const dataFormat = "ndjson"

// deliver hands the batch to the pipelines, traces and logs at once, so that they
// can share what the exporter writes together. When one of them refuses, ok is
// false and the answer says what the sender should do. A body is answered as a
// whole: sent again after only its logs were refused, its traces arrive twice.
func (r *requestEventReceiver) deliver(ctx context.Context, b *batch) (_ *answer, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	var logs sync.WaitGroup
	var logsErr, tracesErr error
	if b.records > 0 {
		logs.Go(func() {
			ctx := r.obs.StartLogsOp(ctx)
			logsErr = r.logs.ConsumeLogs(ctx, b.logs)
			r.obs.EndLogsOp(ctx, dataFormat, b.records, logsErr)
		})
	}
	if b.spans > 0 {
		ctx := r.obs.StartTracesOp(ctx)
		tracesErr = r.traces.ConsumeTraces(ctx, b.traces)
		r.obs.EndTracesOp(ctx, dataFormat, b.spans, tracesErr)
	}
	logs.Wait()
	switch {
	case tracesErr != nil && logsErr != nil:
		// What is refused for good is worth knowing more than what may be tried again.
		t, l := r.failure(tracesErr), r.failure(logsErr)
		if t.retryAfter > 0 && l.retryAfter == 0 {
			return l, false
		}
		return t, false
	case tracesErr != nil:
		return r.failure(tracesErr), false
	case logsErr != nil:
		return r.failure(logsErr), false
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
		a.Error = r.interrupted(err)
	}
	if isStatus && st.Code() == codes.DeadlineExceeded {
		a.Error = r.notInTime(st.Message())
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

// interrupted words the error of a delivery that was not waited for any longer;
// others are what they say.
func (r *requestEventReceiver) interrupted(err error) string {
	text := err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return r.notInTime(text)
	case text == context.Canceled.Error():
		return "not stored: the collector is stopping: send it again"
	}
	return text
}

// notInTime says that the timeout is over, and why if the pipeline told.
func (r *requestEventReceiver) notInTime(why string) string {
	why = strings.TrimSuffix(why, context.DeadlineExceeded.Error())
	if why = strings.TrimRight(why, ": \n"); why == "" {
		why = "send it again"
	}
	return fmt.Sprintf("not stored within %s: %s", r.cfg.Timeout, why)
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
