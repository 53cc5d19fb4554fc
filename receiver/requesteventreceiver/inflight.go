package requesteventreceiver

import "sync/atomic"

// What an item takes when it is decoded, beside its text: a span or log record, and
// for each JSON value of its line an attribute or an element.
const (
	itemBytes  = 320
	valueBytes = 48
)

// inflight bounds the memory of all bodies that are being read, decoded and
// delivered.
type inflight struct {
	max  int64
	used atomic.Int64
}

// share is the part of one body.
type share struct {
	of   *inflight
	held int64
	// decoded is what of it is for items.
	decoded int64
}

// item takes what an item of so many JSON values needs.
func (s *share) item(values int, limit int64) error {
	n := itemBytes + valueBytes*values
	if s.decoded += int64(n); s.decoded > limit {
		return &limitError{name: "max_decoded_bytes", limit: limit, unit: "bytes once it is decoded"}
	}
	return s.take(n)
}

// take asks for n bytes more. A body that is the only one is never refused: its own
// limit is max_request_bytes.
func (s *share) take(n int) error {
	used := s.of.used.Add(int64(n))
	s.held += int64(n)
	if used > s.of.max && used > s.held {
		return &busyError{limit: s.of.max}
	}
	return nil
}

// release gives back what the body took.
func (s *share) release() {
	s.of.used.Add(-s.held)
	s.held = 0
}

// busyError says that other bodies fill the memory for now.
type busyError struct{ limit int64 }

func (e *busyError) Error() string {
	return "the bodies in hand have reached max_inflight_bytes: send it again later"
}
