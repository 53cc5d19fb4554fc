package deadletter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/deadletter"
)

// Where names the dead letters.
type Where struct {
	// Data is the data directory.
	Data string
	// Exporter is the exporter's id in the collector's configuration.
	Exporter string
}

func (w Where) socket() string    { return filepath.Join(w.Data, "run", "collector.sock") }
func (w Where) directory() string { return filepath.Join(w.Data, "deadletter") }

// access is the dead letters, by one way or the other.
type access interface {
	list(ctx context.Context) (deadletter.Listing, error)
	read(ctx context.Context, id string) (deadletter.Entry, error)
	drop(ctx context.Context, sel deadletter.Selection) (deadletter.Outcome, error)
	replay(ctx context.Context, sel deadletter.Selection) (deadletter.Outcome, error)
	close() error
}

// open takes the socket if a collector serves it, else the files.
func open(ctx context.Context, w Where) (access, error) {
	client := admin.NewClient(w.socket())
	err := client.Do(ctx, http.MethodGet, "/pending", nil, nil)
	if err == nil {
		return &running{client: client, path: "/deadletter/" + url.PathEscape(w.Exporter)}, nil
	}
	if !errors.Is(err, admin.ErrNotRunning) {
		return nil, err
	}
	if _, err := os.Stat(w.directory()); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not there, and no collector runs on this data directory: name another with --data", w.directory())
		}
		return nil, err
	}
	store, err := deadletter.Open(w.directory(), 0)
	if errors.Is(err, deadletter.ErrLocked) {
		return nil, fmt.Errorf("a collector has the dead letters open and does not answer on %s: set journal_storage::admin_socket to that, or stop it", w.socket())
	}
	if err != nil {
		return nil, err
	}
	return files{store}, nil
}

// running is a running collector.
type running struct {
	client *admin.Client
	path   string
}

func (r *running) list(ctx context.Context) (out deadletter.Listing, err error) {
	err = r.client.Do(ctx, http.MethodGet, r.path, nil, &out)
	return out, err
}

func (r *running) read(ctx context.Context, id string) (deadletter.Entry, error) {
	var whole deadletter.Whole
	err := r.client.Do(ctx, http.MethodGet, r.path+"/"+url.PathEscape(id), nil, &whole)
	whole.Entry.Payload = whole.Payload
	return whole.Entry, err
}

func (r *running) drop(ctx context.Context, sel deadletter.Selection) (out deadletter.Outcome, err error) {
	err = r.client.Do(ctx, http.MethodPost, r.path+"/drop", sel, &out)
	return out, err
}

func (r *running) replay(ctx context.Context, sel deadletter.Selection) (out deadletter.Outcome, err error) {
	err = r.client.Do(ctx, http.MethodPost, r.path+"/replay", sel, &out)
	return out, err
}

func (r *running) close() error { return nil }

// files are the dead letters of a collector that does not run.
type files struct{ store *deadletter.Store }

func (f files) list(context.Context) (deadletter.Listing, error) { return f.store.Listing() }

func (f files) read(_ context.Context, id string) (deadletter.Entry, error) { return f.store.Read(id) }

func (f files) drop(_ context.Context, sel deadletter.Selection) (deadletter.Outcome, error) {
	return f.store.DropUncounted(sel)
}

func (f files) replay(context.Context, deadletter.Selection) (deadletter.Outcome, error) {
	return deadletter.Outcome{}, errors.New("replaying needs a running collector: start it with `trackway up`")
}

func (f files) close() error { return f.store.Close() }
