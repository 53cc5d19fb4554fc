package livetail

import (
	"sync"
	"time"
)

// Subscription collects the records one listener is to be sent. When the
// listener lags behind, the oldest are dropped and counted.
type Subscription struct {
	hub   *Hub
	group *group

	mu     sync.Mutex
	ring   [][]byte // encoded records, oldest first
	bytes  int
	missed uint64
	second int64 // the second that sent counts for
	sent   int

	wake chan struct{}
	done chan struct{}
	once sync.Once
}

func newSubscription(h *Hub, g *group) *Subscription {
	return &Subscription{hub: h, group: g, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// Ready is signalled when there is something to Take.
func (s *Subscription) Ready() <-chan struct{} { return s.wake }

// Done is closed when the hub ends the subscription.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Take gives what has come since the last call: records as JSON, oldest first,
// and how many were missed before them.
func (s *Subscription) Take() (records [][]byte, missed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	records, missed = s.ring, s.missed
	s.ring, s.bytes, s.missed = nil, 0, 0
	return records, missed
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.hub.remove(s)
	s.end()
}

func (s *Subscription) end() { s.once.Do(func() { close(s.done) }) }

// admit says whether the subscriber takes another record this second, and counts
// the record as missed when it does not.
func (s *Subscription) admit(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		s.second, s.sent = second, 0
	}
	if s.sent >= s.hub.limits.PerSecond {
		s.missed++
		s.signal()
		return false
	}
	s.sent++
	return true
}

func (s *Subscription) miss(n uint64) {
	s.mu.Lock()
	s.missed += n
	s.mu.Unlock()
	s.signal()
}

func (s *Subscription) push(encoded []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring = append(s.ring, encoded)
	s.bytes += len(encoded)
	drop := 0
	for len(s.ring)-drop > s.hub.limits.Buffer || s.bytes > s.hub.limits.BufferBytes && len(s.ring)-drop > 1 {
		s.bytes -= len(s.ring[drop])
		s.ring[drop] = nil
		drop++
	}
	s.ring = s.ring[drop:]
	s.missed += uint64(drop)
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
