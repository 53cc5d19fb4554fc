package queryserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/queryserver/accounts"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

const (
	// metadataTimeout bounds one look at the metadata store.
	metadataTimeout = 10 * time.Second
	// metadataRetry is the longest pause between tries while it is away.
	metadataRetry = 5 * time.Second
)

// errNoMetadata is there being no answer from the metadata store yet.
var errNoMetadata = errors.New("the metadata store has not answered yet")

// metadataView is the content of the metadata store at one version.
type metadataView struct {
	etag     string
	keys     []byte // the body of /internal/keys
	projects map[string]bool
	guard    *accounts.Guard
}

// metadataFollower keeps the newest view of the metadata store in memory. Other
// processes change the store too, so it asks for the version once in a while.
type metadataFollower struct {
	dsn      string
	interval time.Duration

	mu      sync.Mutex
	store   *metadata.Store // nil until it could be opened
	view    *metadataView   // nil until it could be read
	failing error           // of the last look
	changed chan struct{}   // closed, and replaced, when view changes
	end     context.CancelFunc
	ended   sync.WaitGroup
}

// followMetadata opens the store and follows it until close. A store that is away
// is tried again; only one that this program cannot use is an error.
func followMetadata(ctx context.Context, cfg MetadataConfig) (*metadataFollower, error) {
	f := &metadataFollower{dsn: string(cfg.DSN), interval: cfg.PollInterval, changed: make(chan struct{})}
	if err := f.look(ctx); errors.Is(err, metadata.ErrNewer) {
		return nil, errors.Join(err, f.close())
	}
	ctx, f.end = context.WithCancel(ctx)
	f.ended.Go(func() { f.follow(ctx) })
	return f, nil
}

func (f *metadataFollower) close() error {
	if f.end != nil {
		f.end()
	}
	f.ended.Wait()
	if f.store == nil {
		return nil
	}
	return f.store.Close()
}

func (f *metadataFollower) follow(ctx context.Context) {
	pause := f.interval
	for {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if err := f.look(ctx); err != nil {
			pause = min(2*pause, max(metadataRetry, f.interval))
		} else {
			pause = f.interval
		}
	}
}

// look brings the view up to date. What was known stays while the store is away.
func (f *metadataFollower) look(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	err := f.refresh(asked)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.mu.Lock()
	before := f.failing
	f.failing = err
	f.mu.Unlock()
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		slog.WarnContext(ctx, "metadata store: going on with what is known", "error", err)
	case err == nil && before != nil:
		slog.InfoContext(ctx, "metadata store answers again")
	}
	return err
}

func (f *metadataFollower) refresh(ctx context.Context) error {
	f.mu.Lock()
	store, view := f.store, f.view
	f.mu.Unlock()
	if store == nil {
		var err error
		if store, err = metadata.Open(ctx, f.dsn); err != nil {
			return err
		}
		f.mu.Lock()
		f.store = store
		f.mu.Unlock()
	}
	version, err := store.Version(ctx)
	if err != nil {
		return err
	}
	if view != nil && view.etag == etagOf(version) {
		return nil
	}
	snapshot, err := store.Snapshot(ctx)
	if err != nil {
		return err
	}
	// Read after the version: a token may be newer than it, and is read again then.
	tokens, err := store.ValidTokens(ctx)
	if err != nil {
		return err
	}
	next := &metadataView{guard: accounts.NewGuard(tokens), etag: etagOf(snapshot.Version), projects: make(map[string]bool, len(snapshot.Projects))}
	for _, p := range snapshot.Projects {
		next.projects[p.ID] = true
	}
	if next.keys, err = json.Marshal(snapshot); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	f.mu.Lock()
	f.view = next
	close(f.changed)
	f.changed = make(chan struct{})
	f.mu.Unlock()
	return nil
}

func etagOf(version string) string { return `"` + version + `"` }

// current gives the view, and a channel that is closed when there is a newer one.
// Without a view yet it is nil.
func (f *metadataFollower) current() (*metadataView, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view, f.changed
}

// health is why the last look failed, nil when it did not.
func (f *metadataFollower) health() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failing
}

// projectSet says which projects there are: the configured ones, and those of the
// metadata store where there is one.
type projectSet struct {
	configured map[string]bool
	follower   *metadataFollower // nil without a metadata store
}

// has gives an error where it cannot be known yet.
func (s projectSet) has(id string) (bool, error) {
	if s.configured[id] || s.follower == nil {
		return s.configured[id], nil
	}
	view, _ := s.follower.current()
	if view == nil {
		return false, errNoMetadata
	}
	return view.projects[id], nil
}
