package projectauthextension

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/extension/projectauthextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/admission"
)

// projectAuth is the extension.
type projectAuth struct {
	cfg       *Config
	set       extension.Settings
	telemetry *telemetry
	errStale  *admission.Refusal

	static map[hash]key
	// table is the last answer of the query server, nil before the first;
	// confirmed is when the query server last said that it holds (ns).
	table     atomic.Pointer[table]
	confirmed atomic.Int64

	client   *http.Client
	cancel   context.CancelFunc
	fetching sync.WaitGroup
}

var _ extensionauth.Server = (*projectAuth)(nil)

func newExtension(set extension.Settings, cfg *Config) (*projectAuth, error) {
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	a := &projectAuth{cfg: cfg, set: set, telemetry: newTelemetry(builder), errStale: staleRefusal(cfg.MaxStale), static: map[hash]key{}}
	for i := range cfg.Keys {
		k := &cfg.Keys[i]
		h := hash(sha256.Sum256([]byte(k.Key)))
		if k.Hash != "" {
			if h, err = parseHash(string(k.Hash)); err != nil {
				return nil, fmt.Errorf("keys::%d::hash: %w", i, err)
			}
		}
		if other, ok := a.static[h]; ok && other.owner.project != k.Project {
			return nil, fmt.Errorf("keys::%d: the key is there twice, for project %s and for project %s", i, other.owner.project, k.Project)
		}
		a.static[h] = key{owner: &owner{project: k.Project}, expires: never}
	}
	return a, nil
}

// fetches says whether there is a query server to ask.
func (a *projectAuth) fetches() bool { return a.cfg.QueryServer.Endpoint != "" }

// Start takes the cached table and begins to ask the query server. It does not
// wait for an answer: the query server may be away.
func (a *projectAuth) Start(ctx context.Context, host component.Host) error {
	if !a.fetches() {
		return nil
	}
	var err error
	if a.client, err = a.cfg.QueryServer.ToClient(ctx, host.GetExtensions(), a.set.TelemetrySettings); err != nil {
		return fmt.Errorf("query_server: %w", err)
	}
	if err := a.observe(); err != nil {
		return err
	}
	a.loadCache()
	ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
	a.fetching.Go(func() { a.fetch(ctx) })
	return nil
}

// Shutdown stops asking.
func (a *projectAuth) Shutdown(context.Context) error {
	if a.cancel == nil {
		return nil
	}
	a.cancel()
	a.fetching.Wait()
	a.client.CloseIdleConnections()
	return a.telemetry.builder.Shutdown()
}

func (a *projectAuth) observe() error {
	return a.telemetry.builder.Observe(func() (o metadata.Observation, ok bool) {
		t := a.table.Load()
		if t == nil {
			return o, false
		}
		return metadata.Observation{
			Keys:       int64(len(t.keys)),
			AgeSeconds: max(0, int64(time.Since(time.Unix(0, a.confirmed.Load()))/time.Second)),
		}, true
	})
}

// adopt makes t the table in force. at is when the query server said so.
func (a *projectAuth) adopt(t *table, skipped []string, at time.Time) {
	a.confirmed.Store(at.UnixNano())
	a.table.Store(t)
	if len(skipped) > 0 {
		a.set.Logger.Warn("Left out entries of the query server's keys that cannot be used",
			zap.Int("entries", len(skipped)), zap.String("first", skipped[0]))
	}
}
