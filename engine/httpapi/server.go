package httpapi

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// Options configures a Server.
type Options struct {
	// User and Password are the only credentials accepted. An empty password
	// accepts requests without one.
	User, Password string
	// MaxConcurrentQueries refuses further statements with ClickHouse's
	// TOO_MANY_SIMULTANEOUS_QUERIES; 0 is no limit.
	MaxConcurrentQueries int
	// TempDir holds results that wait for the end of their query
	// (wait_end_of_query=1) once they outgrow memory; "" is the system's.
	TempDir string
	// TablesChanged, if given, is called after a statement that may have created a
	// table, before it is answered.
	TablesChanged func()
	// Log receives what cannot be told to a client.
	Log *slog.Logger
}

// Server answers ClickHouse's HTTP interface. It is an http.Handler.
type Server struct {
	options     Options
	instance    *chdb.Instance
	version     string // of ClickHouse: "26.7.2.1"
	displayName string
	sessions    *sessions
	running     *running
	// httpCompression is the engine's default of enable_http_compression.
	httpCompression bool
}

// New returns a Server over a running engine. Close it before the engine.
func New(instance *chdb.Instance, options Options) (*Server, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: options, instance: instance, sessions: newSessions(instance), running: newRunning(options.MaxConcurrentQueries)}
	conn, err := instance.Connect()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	result, err := conn.Query("SELECT version(), displayName(), getSetting('enable_http_compression')", "TabSeparated", nil)
	if err != nil {
		return nil, fmt.Errorf("ask the engine for its version: %w", err)
	}
	defer result.Close()
	fields := strings.Split(strings.TrimSpace(string(result.Bytes())), "\t")
	if len(fields) != 3 {
		return nil, fmt.Errorf("ask the engine for its version: it answered %q", result.Bytes())
	}
	s.version, s.displayName, s.httpCompression = fields[0], fields[1], truth(fields[2])
	return s, nil
}

// Version is ClickHouse's version, for example "26.7.2.1".
func (s *Server) Version() string { return s.version }

// Close ends the sessions. No request may be running.
func (s *Server) Close() { s.sessions.close() }

// Stop refuses further statements and cancels every running one that only reads;
// those that write run to their end.
func (s *Server) Stop() { s.running.stop() }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" {
		http.Error(w, "Requests from web pages are not accepted here: they carry an Origin header. Use the query server's API.", http.StatusForbidden)
		return
	}
	switch {
	case r.URL.Path == "/ping" || r.URL.Path == "/replicas_status":
		s.ok(w)
	case r.URL.Path != "/" && r.URL.Path != "/query":
		http.Error(w, "There is no handle "+r.URL.Path+"\n\nUse / or /ping for health checks.\nSend queries from your program with POST method or GET /?query=...", http.StatusNotFound)
	case r.Method == http.MethodGet && r.URL.RawQuery == "" && r.ContentLength <= 0:
		s.ok(w)
	case r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodPost || r.Method == http.MethodPut:
		s.serveQuery(w, r)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, PUT")
		http.Error(w, "Method "+r.Method+" is not supported: use GET or POST.", http.StatusMethodNotAllowed)
	}
}

func (s *Server) ok(w http.ResponseWriter) {
	s.setCommonHeaders(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	// A client that is gone has no use for the error.
	_, _ = io.WriteString(w, "Ok.\n")
}

// setCommonHeaders sets what every answer of ClickHouse carries.
func (s *Server) setCommonHeaders(h http.Header) {
	setHeader(h, "X-ClickHouse-Server-Display-Name", s.displayName)
	h.Set("Access-Control-Expose-Headers", "X-ClickHouse-Query-Id,X-ClickHouse-Summary,X-ClickHouse-Server-Display-Name,X-ClickHouse-Format,X-ClickHouse-Timezone,X-ClickHouse-Exception-Code,X-ClickHouse-Exception-Tag")
}

// setHeader keeps the spelling of ClickHouse's names, which net/http would change;
// there are clients that compare them byte by byte.
func setHeader(h http.Header, name, value string) { h[name] = []string{value} }

func (s *Server) serveQuery(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	s.setCommonHeaders(w.Header())
	request, err := readRequest(r)
	if err != nil {
		s.fail(w, asException(err))
		return
	}
	setHeader(w.Header(), "X-ClickHouse-Query-Id", request.queryID)
	setHeader(w.Header(), "X-ClickHouse-Timezone", cmp.Or(request.setting("session_timezone"), "UTC"))
	if err := s.authenticate(r, request); err != nil {
		s.fail(w, err)
		return
	}
	newExecution(s, w, r, request, started).run()
}

// fail answers with an exception before anything else was written, uncompressed.
func (s *Server) fail(w http.ResponseWriter, e *chdb.Exception) {
	h := w.Header()
	setHeader(h, "X-ClickHouse-Exception-Code", fmt.Sprint(e.Code))
	h.Set("Content-Type", "text/plain; charset=UTF-8")
	w.WriteHeader(statusOf(e.Code))
	_, _ = io.WriteString(w, s.text(e)+"\n")
}
