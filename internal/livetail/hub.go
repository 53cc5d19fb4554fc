package livetail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
)

// Limits bound what listeners cost.
type Limits struct {
	// Subscribers is how many may listen at a time.
	Subscribers int
	// PerSecond is how many records a subscriber is sent in a second; a reader
	// sees no more, and the rest is counted as missed.
	PerSecond int
	// Buffer is how many records a slow subscriber may lag behind.
	Buffer int
	// BufferBytes is the same in bytes of JSON.
	BufferBytes int
}

// ErrTooMany says that Limits.Subscribers are listening already.
var ErrTooMany = errors.New("too many live tails are open on this collector: close one, or raise max_subscribers")

// Hub hands published records to subscribers. It is a Publisher.
type Hub struct {
	limits Limits
	now    func() time.Time

	active atomic.Int32 // subscribers

	mu     sync.RWMutex
	groups map[groupKey]*group
	closed bool
}

// groupKey tells groups apart: subscribers with the same filter, however they wrote
// it, are matched once. The filter is in its canonical form.
type groupKey struct{ project, filter string }

type group struct {
	key         groupKey
	expr        *filter.Expr
	subscribers map[*Subscription]struct{}
}

var _ Publisher = (*Hub)(nil)

// NewHub returns a hub without subscribers.
func NewHub(l Limits) *Hub {
	return &Hub{limits: l, now: time.Now, groups: map[groupKey]*group{}}
}

// Active says whether anybody is listening.
func (h *Hub) Active() bool { return h.active.Load() > 0 }

// Publish matches the records against the filters of all subscribers. A record
// is encoded at most once, and only when a subscriber has room for it.
func (h *Hub) Publish(records []record.Record) {
	if !h.Active() {
		return
	}
	now := h.now()
	h.mu.RLock()
	defer h.mu.RUnlock()
	for i := range records {
		r := &records[i]
		var encoded []byte
		for _, g := range h.groups {
			if g.key.project != r.Project || !g.expr.Match(r) {
				continue
			}
			for s := range g.subscribers {
				if !s.admit(now) {
					continue
				}
				if encoded == nil {
					// Strings, numbers and maps of strings: it cannot fail, and where
					// links are no JSON the record is left out and counted.
					var err error
					if encoded, err = json.Marshal(r.JSON()); err != nil {
						s.miss(1)
						continue
					}
				}
				s.push(encoded)
			}
		}
	}
}

// Subscribe starts to collect the records of a project that match the filter's
// text. The error is a *filter.Error for a bad filter, or ErrTooMany. Close must
// be called at the end.
func (h *Hub) Subscribe(project, text string) (*Subscription, error) {
	expr, err := filter.Parse(text)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fmt.Errorf("live tail: %w", context.Canceled)
	}
	if int(h.active.Load()) >= h.limits.Subscribers {
		return nil, ErrTooMany
	}
	key := groupKey{project, expr.String()}
	g := h.groups[key]
	if g == nil {
		g = &group{key: key, expr: expr, subscribers: map[*Subscription]struct{}{}}
		h.groups[key] = g
	}
	s := newSubscription(h, g)
	g.subscribers[s] = struct{}{}
	h.active.Add(1)
	return s, nil
}

func (h *Hub) remove(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := s.group.subscribers[s]; !ok {
		return
	}
	delete(s.group.subscribers, s)
	if len(s.group.subscribers) == 0 {
		delete(h.groups, s.group.key)
	}
	h.active.Add(-1)
}

// Close ends all subscriptions.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, g := range h.groups {
		for s := range g.subscribers {
			s.end()
		}
	}
}
