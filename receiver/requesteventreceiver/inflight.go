package requesteventreceiver

import "sync/atomic"

// inflight bounds the memory of all bodies that are being read, decoded and
// delivered, in bytes of their inflated text.
type inflight struct {
	max  int64
	used atomic.Int64
}

// share is the part of one body.
type share struct {
	of   *inflight
	held int64
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
