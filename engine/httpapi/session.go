package httpapi

import (
	"sync"
	"time"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// sessions keeps the connections of requests that name a session_id. A session
// ends when no request has used it for its timeout.
type sessions struct {
	instance *chdb.Instance
	mu       sync.Mutex
	byID     map[string]*session
}

type session struct {
	conn  *chdb.Conn
	busy  bool
	uses  int // tells the timer of an earlier use from the current one
	timer *time.Timer
}

func newSessions(instance *chdb.Instance) *sessions {
	return &sessions{instance: instance, byID: map[string]*session{}}
}

// acquire returns the connection for a request and the function that gives it
// back. A session used by another request is an exception: SESSION_IS_LOCKED.
func (s *sessions) acquire(r *request) (*chdb.Conn, func(), error) {
	if r.sessionID == "" {
		conn, err := s.instance.Connect()
		if err != nil {
			return nil, nil, err
		}
		return conn, conn.Close, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.byID[r.sessionID]
	switch {
	case kept == nil && r.sessionCheck:
		return nil, nil, exception(codeSessionNotFound, "SESSION_NOT_FOUND", "Session %s not found", r.sessionID)
	case kept == nil:
		conn, err := s.instance.Connect()
		if err != nil {
			return nil, nil, err
		}
		kept = &session{conn: conn}
		s.byID[r.sessionID] = kept
	case kept.busy:
		return nil, nil, exception(codeSessionIsLocked, "SESSION_IS_LOCKED", "Session %s is locked by a concurrent client", r.sessionID)
	}
	kept.busy = true
	kept.uses++
	if kept.timer != nil {
		kept.timer.Stop()
	}
	return kept.conn, func() { s.release(r, kept) }, nil
}

func (s *sessions) release(r *request, kept *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept.busy = false
	if r.closeSession {
		delete(s.byID, r.sessionID)
		kept.conn.Close()
		return
	}
	uses := kept.uses
	kept.timer = time.AfterFunc(r.sessionTimeout, func() { s.expire(r.sessionID, kept, uses) })
}

func (s *sessions) expire(id string, kept *session, uses int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[id] == kept && kept.uses == uses && !kept.busy {
		delete(s.byID, id)
		kept.conn.Close()
	}
}

// close ends every session.
func (s *sessions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, kept := range s.byID {
		if kept.timer != nil {
			kept.timer.Stop()
		}
		delete(s.byID, id)
		kept.conn.Close()
	}
}
