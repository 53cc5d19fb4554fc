package queryserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
	"github.com/trackwayhq/trackway/web"
)

const (
	// readHeaderTimeout frees connections of clients that never finish a request.
	readHeaderTimeout = 10 * time.Second
	// shutdownTimeout is how long answers under way may take to end.
	shutdownTimeout = 5 * time.Second
	// maxHeaderBytes leaves room for the longest filter in a URL, percent-encoded.
	maxHeaderBytes = 128 << 10
)

// Run serves the API and the UI until ctx ends. ready is called once with the
// address listened on. It does not need the store to be up.
func Run(ctx context.Context, cfg Config, ready func(addr string)) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	endpoint, err := parseEndpoint(cfg.ClickHouse.Endpoint)
	if err != nil {
		return fmt.Errorf("clickhouse.endpoint: %w", err)
	}
	store := clickhouse.New(clickhouse.Options{
		Endpoint: endpoint, Username: cfg.ClickHouse.Username, Password: string(cfg.ClickHouse.Password),
		Database: cfg.ClickHouse.Database, Timeout: cfg.ClickHouse.Timeout,
	})
	defer store.Close()
	tails, err := newTailRelay(cfg.LiveTail.Endpoints)
	if err != nil {
		return err
	}
	defer tails.close()
	var follower *metadataFollower
	if cfg.Metadata.DSN != "" {
		if follower, err = followMetadata(ctx, cfg.Metadata); err != nil {
			return err
		}
		defer func() {
			if err := follower.close(); err != nil {
				slog.WarnContext(ctx, "close the metadata store", "error", err)
			}
		}()
	}

	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w: is another query server running? Set listen in the configuration to another port, or to port 0", err)
	}
	server := &http.Server{
		Handler:           newHandler(cfg, store, tails, follower),
		ReadHeaderTimeout: readHeaderTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// Live tails never end by themselves: they end with ctx.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready(listener.Addr().String())
	}
	select {
	case err := <-served:
		return fmt.Errorf("query server: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err = server.Shutdown(stopping)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// newHandler puts the API, the health check and the UI behind one door. Without a
// metadata store follower is nil.
func newHandler(cfg Config, store *clickhouse.Client, tails *tailRelay, follower *metadataFollower) http.Handler {
	projects := projectSet{configured: make(map[string]bool, len(cfg.Projects)), follower: follower}
	for _, p := range cfg.Projects {
		projects.configured[p] = true
	}
	a := &api{store: store, projects: projects, retention: cfg.Retention, tails: tails, hashed: newHashedKeys(cfg.Secrets.CorrelationHash), now: time.Now, statements: newStatements(cfg, store), accounts: cfg.Accounts}
	mux := http.NewServeMux()
	a.register(mux)
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.Handle("GET "+keysPath, newKeysHandler(cfg.Secrets.InternalToken, follower))
	mux.HandleFunc(fallbackPattern, func(w http.ResponseWriter, r *http.Request) { nothingHere(mux, w, r) })
	dist, built := web.Dist()
	mux.Handle("/", newStatic(dist, built))
	return secured(cfg.Hosts, wellFormed(bounded(compressed(mux))))
}

// fallbackPattern catches what no operation of the API took.
const fallbackPattern = "/api/"

// nothingHere tells a wrong path from a wrong method.
func nothingHere(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := r.Clone(r.Context())
		asked.Method = method
		if _, pattern := mux.Handler(asked); pattern != fallbackPattern {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		methods := strings.Join(allowed, ", ")
		w.Header().Set("Allow", methods)
		writeProblem(w, problem(http.StatusMethodNotAllowed, r.URL.Path+" takes "+methods+", not "+r.Method))
		return
	}
	writeProblem(w, problem(http.StatusNotFound, "there is nothing at "+r.URL.Path+"; see "+openAPIPath+".json for what there is"))
}

// OpenAPI gives the API's description, as served at /api/openapi.json.
func OpenAPI() *huma.OpenAPI { return (&api{}).register(http.NewServeMux()) }

// healthz answers 200 as long as the server runs. Whether the store answers is
// in the body: restarting this process would not mend it.
func (a *api) healthz(w http.ResponseWriter, r *http.Request) {
	body := map[string]any{"status": "ok", "store": "ok"}
	if err := a.store.Ping(r.Context()); err != nil {
		body["store"] = "unreachable"
	} else if free, ok := a.room(r.Context()); ok {
		body["store_free_bytes"] = free
		if free < leastRoom {
			body["store"] = "no room"
		}
	}
	if f := a.projects.follower; f != nil {
		body["metadata"] = "ok"
		if f.health() != nil {
			body["metadata"] = "unreachable"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
