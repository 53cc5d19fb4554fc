package admissionextension

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trackwayhq/trackway/internal/admission"
)

// busyRetryAfter is what senders are told when too much is in progress: requests
// end within milliseconds, and Retry-After counts in whole seconds.
const busyRetryAfter = time.Second

// request is what one request in progress holds and has been charged.
type request struct {
	a       *admissionExtension
	project *project // nil without limits

	mu      sync.Mutex
	ended   bool
	held    int64 // bytes of the budget
	charged amount
}

// hold makes the request hold at least n bytes of the budget in all, or says why
// it cannot.
func (q *request) hold(n int64) *admission.Refusal {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return nil
	}
	if n > q.a.budget.max {
		return tooLarge("max_in_progress_bytes", q.a.budget.max) // it will never fit
	}
	if more := n - q.held; more > 0 && !q.a.budget.acquire(more) {
		return q.a.errBusy
	}
	q.held = max(q.held, n)
	return nil
}

// await makes the request hold n bytes more of the budget as soon as they are
// there. It is false when ctx ended before.
func (q *request) await(ctx context.Context, n int64) bool {
	if !q.a.budget.wait(ctx, n) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		q.a.budget.release(n)
		return false
	}
	q.held += n
	return true
}

// shrink gives back what the request holds beyond n bytes.
func (q *request) shrink(n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended && n < q.held {
		q.a.budget.release(q.held - n)
		q.held = n
	}
}

// adopt makes the request hold n bytes more that were taken for it already.
func (q *request) adopt(n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		q.a.budget.release(n)
		return
	}
	q.held += n
}

// charge adds to what the request costs its project.
func (q *request) charge(a amount) {
	if q.project == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return
	}
	q.charged.Items += a.Items
	q.charged.Bytes += a.Bytes
	q.project.charge(time.Now(), a)
}

// ChargeItems is called by the project processor.
func (q *request) ChargeItems(n int) { q.charge(amount{Items: int64(n)}) }

// finish gives back the budget, and what was charged too if the request was not
// accepted: its sender will try again. Only the first call counts.
func (q *request) finish(accepted bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return
	}
	q.ended = true
	q.a.budget.release(q.held)
	if q.project != nil && !accepted {
		q.project.charge(time.Now(), amount{Items: -q.charged.Items, Bytes: -q.charged.Bytes})
	}
}

func tooLarge(limit string, value int64) *admission.Refusal {
	return &admission.Refusal{
		HTTP: http.StatusRequestEntityTooLarge, Code: codes.ResourceExhausted,
		Message: fmt.Sprintf("the body has more than %d bytes (%s), inflated: send smaller batches", value, limit),
		Limit:   limit, Max: value, Reason: "max_request_bytes",
	}
}

func tooMuchDecoded(value int64) *admission.Refusal {
	return &admission.Refusal{
		HTTP: http.StatusRequestEntityTooLarge, Code: codes.ResourceExhausted,
		Message: fmt.Sprintf("the request takes more than %d bytes of memory when it is decoded (max_decoded_bytes): it has very many spans, events, links, attributes or points for its size; send smaller batches", value),
		Limit:   "max_decoded_bytes", Max: value, Reason: "max_decoded_bytes",
	}
}

// badStructure is a request that no decoder should be given.
func badStructure(err error) *admission.Refusal {
	return &admission.Refusal{
		HTTP: http.StatusBadRequest, Code: codes.InvalidArgument, Reason: "structure",
		Message: fmt.Sprintf("the request cannot be decoded: %v", err),
	}
}

func busyRefusal(limit, what string, value int64) *admission.Refusal {
	r := admission.TooMany(limit, fmt.Sprintf("there are %d %s already (%s): send again in 1 s", value, what, limit), busyRetryAfter)
	r.Limit, r.Max = limit, value
	return r
}
