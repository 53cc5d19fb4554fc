package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	socketMode    = 0o600
	directoryMode = 0o700
	// maxPath is what a Unix socket's address takes on Linux.
	maxPath = 107
	// headerTimeout ends connections that never send a request.
	headerTimeout = 10 * time.Second
	// dialTimeout tells a socket that somebody serves from a stale one.
	dialTimeout = time.Second
	// maxBody bounds what a request may carry, in bytes.
	maxBody = 1 << 20
)

// Server serves the socket. The zero value is ready for Handle.
type Server struct {
	mu       sync.RWMutex
	handlers map[string]http.Handler
	mux      *http.ServeMux
	erasers  map[int]namedEraser
	next     int

	path     string
	listener net.Listener
	serving  atomic.Bool
	http     http.Server
	done     chan struct{}
}

type namedEraser struct {
	name  string
	erase Eraser
}

// Serving says whether the socket is open.
func (s *Server) Serving() bool { return s.serving.Load() }

// Handle adds a handler; see Registrar.
func (s *Server) Handle(pattern string, h http.Handler) (remove func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handlers == nil {
		s.handlers = map[string]http.Handler{}
	}
	if _, taken := s.handlers[pattern]; taken {
		return nil, fmt.Errorf("admin: pattern %q is taken", pattern)
	}
	s.handlers[pattern] = h
	if err := s.rebuild(); err != nil {
		delete(s.handlers, pattern)
		return nil, errors.Join(err, s.rebuild())
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.handlers, pattern)
		_ = s.rebuild() // with one pattern less it cannot conflict
	}, nil
}

// rebuild makes the mux anew, since patterns cannot be taken out of one. Callers
// hold the lock.
func (s *Server) rebuild() (err error) {
	defer func() {
		if p := recover(); p != nil { // the mux panics at patterns it does not take
			err = fmt.Errorf("admin: %v", p)
		}
	}()
	mux := http.NewServeMux()
	for pattern, h := range s.handlers {
		mux.Handle(pattern, h)
	}
	s.mux = mux
	return nil
}

// HandleErasure adds a part that personal data has to be removed from; see
// Registrar.
func (s *Server) HandleErasure(name string, erase Eraser) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.erasers == nil {
		s.erasers = map[int]namedEraser{}
	}
	s.next++
	id := s.next
	s.erasers[id] = namedEraser{name, erase}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.erasers, id)
	}
}

// Erase removes somebody's items from all parts, in the order in which these were
// added. A part that fails does not keep the others from theirs.
func (s *Server) Erase(ctx context.Context, e Erasure) []Erased {
	s.mu.RLock()
	erasers := make([]namedEraser, 0, len(s.erasers))
	for _, id := range slices.Sorted(maps.Keys(s.erasers)) {
		erasers = append(erasers, s.erasers[id])
	}
	s.mu.RUnlock()
	out := make([]Erased, 0, len(erasers))
	for _, part := range erasers {
		erased := Erased{Part: part.name}
		var err error
		if erased.Items, err = part.erase(ctx, e); err != nil {
			erased.Error = err.Error()
		}
		out = append(out, erased)
	}
	return out
}

// ServeHTTP answers with the handler of the pattern.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mu.RLock()
	mux := s.mux
	s.mu.RUnlock()
	if mux == nil {
		http.NotFound(w, r)
		return
	}
	mux.ServeHTTP(w, r)
}

// Listen opens the socket at path and serves it until Close. A socket that nobody
// serves any more is replaced.
func (s *Server) Listen(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), directoryMode); err != nil {
		return fmt.Errorf("admin socket: %w", err)
	}
	if err := removeStale(path); err != nil {
		return fmt.Errorf("admin socket: %w", err)
	}
	l, err := listen(path)
	if err != nil {
		return fmt.Errorf("admin socket: %w", err)
	}
	s.path, s.listener, s.done = path, l, make(chan struct{})
	s.serving.Store(true)
	s.http = http.Server{Handler: s, ReadHeaderTimeout: headerTimeout}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with Close
	}()
	return nil
}

// listen makes the socket in a directory that nobody else can enter and moves it
// when its mode is right: a socket begins with what the process's mask leaves.
func listen(path string) (net.Listener, error) {
	private, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	temp := filepath.Join(private, "s")
	var l net.Listener
	err = withAddress(temp, func(address string) (err error) {
		l, err = net.Listen("unix", address)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err = os.Chmod(temp, socketMode); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("%s is there and is no socket: name another path", path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	c, err := dial(ctx, path)
	if err == nil {
		c.Close()
		return fmt.Errorf("%s: another process serves it", path)
	}
	return os.Remove(path)
}

// Close ends all requests and removes the socket.
func (s *Server) Close() error {
	if s.listener == nil {
		return nil
	}
	err := errors.Join(os.Remove(s.path), s.http.Close())
	<-s.done
	s.listener = nil
	s.serving.Store(false)
	return err
}

// WriteJSON answers with a value.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone
}

// WriteError answers with {"error": "…"}.
func WriteError(w http.ResponseWriter, status int, err error) {
	WriteJSON(w, status, map[string]string{"error": err.Error()})
}
