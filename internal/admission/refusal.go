package admission

import (
	"net/http"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Refusal is why a request is not taken, as an error that carries the answer of
// both protocols. Senders that follow the OTLP specification send again after a
// refusal with a RetryAfter, and only then.
type Refusal struct {
	// HTTP is the status over HTTP, Code the one over gRPC.
	HTTP int
	Code codes.Code
	// Message is a sentence for whoever runs the sender.
	Message string
	// RetryAfter is told in whole seconds, rounded up; 0 means never.
	RetryAfter time.Duration
	// Limit is the setting that was exceeded, if any, and Max its value.
	Limit string
	Max   int64
	// Reason is the attribute of the counter of refusals.
	Reason string
}

// Error is the message alone: HTTP servers of the collector put it into the answer.
func (r *Refusal) Error() string { return r.Message }

// RetrySeconds is RetryAfter in whole seconds, rounded up.
func (r *Refusal) RetrySeconds() int64 {
	return int64((r.RetryAfter + time.Second - 1) / time.Second)
}

// GRPCStatus is how gRPC, and the collector's receivers, see the refusal.
func (r *Refusal) GRPCStatus() *status.Status {
	s := status.New(r.Code, r.Message)
	if r.RetryAfter <= 0 {
		return s
	}
	// Receivers cut the delay to whole seconds, so it is rounded here.
	delay := durationpb.New(time.Duration(r.RetrySeconds()) * time.Second)
	detailed, err := s.WithDetails(&errdetails.RetryInfo{RetryDelay: delay})
	if err != nil {
		return s
	}
	return detailed
}

// Unauthenticated is a refusal of a sender that is not known (401).
func Unauthenticated(reason, message string) *Refusal {
	return &Refusal{HTTP: http.StatusUnauthorized, Code: codes.Unauthenticated, Message: message, Reason: reason}
}

// Forbidden is a refusal of a sender that is known (403).
func Forbidden(reason, message string) *Refusal {
	return &Refusal{HTTP: http.StatusForbidden, Code: codes.PermissionDenied, Message: message, Reason: reason}
}

// Unavailable is a refusal for reasons of our own that pass (503).
func Unavailable(reason, message string, retryAfter time.Duration) *Refusal {
	return &Refusal{HTTP: http.StatusServiceUnavailable, Code: codes.Unavailable, Message: message, RetryAfter: retryAfter, Reason: reason}
}

// TooMany is a refusal for now (429).
func TooMany(reason, message string, retryAfter time.Duration) *Refusal {
	return &Refusal{HTTP: http.StatusTooManyRequests, Code: codes.ResourceExhausted, Message: message, RetryAfter: retryAfter, Reason: reason}
}
