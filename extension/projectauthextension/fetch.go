package projectauthextension

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/pause"
)

const keysPath = "/internal/keys"

const (
	// minInterval keeps a query server that answers at once from being asked
	// without pause; a revoked key lives that much longer.
	minInterval = 500 * time.Millisecond
	// Pauses after failures grow from firstPause to lastPause, which is how much
	// later than necessary a query server that came back is noticed.
	firstPause = 500 * time.Millisecond
	lastPause  = 5 * time.Second
)

// errTokenRefused is the query server not knowing this collector.
var errTokenRefused = errors.New("the query server refuses the token: token of project_auth must equal the one it has for collectors")

// fetch asks the query server until ctx ends. Each request waits there for a
// change, so that revoked keys are gone at once.
func (a *projectAuth) fetch(ctx context.Context) {
	retry, failing := firstPause, false
	wait := time.Duration(0) // the first answer is wanted at once
	for ctx.Err() == nil {
		began := time.Now()
		err := a.ask(ctx, wait)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			a.telemetry.fetched(ctx, true)
			if failing {
				a.set.Logger.Info("The query server answers again", zap.String("endpoint", a.cfg.QueryServer.Endpoint))
			}
			retry, failing = firstPause, false
			wait = a.cfg.Wait
			_ = pause.For(ctx, minInterval-time.Since(began)) // the loop looks at ctx
		default:
			a.telemetry.fetched(ctx, false)
			if !failing {
				a.set.Logger.Warn("Cannot get the ingest keys; going on with those there are",
					zap.Error(err), zap.Bool("have_keys", a.table.Load() != nil), zap.Duration("max_stale", a.cfg.MaxStale))
			}
			failing, wait = true, 0
			// Collectors that lost their query server at the same moment should
			// not all come back at the same moment.
			_ = pause.For(ctx, retry/2+rand.N(retry))
			retry = min(2*retry, lastPause)
		}
	}
}

// ask gets the table once, or hears that it has not changed.
func (a *projectAuth) ask(ctx context.Context, wait time.Duration) error {
	current := a.table.Load()
	url := strings.TrimSuffix(a.cfg.QueryServer.Endpoint, "/") + keysPath
	if wait > 0 {
		url += "?wait=" + wait.String()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+string(a.cfg.Token))
	if current != nil && current.etag != "" {
		req.Header.Set("If-None-Match", current.etag)
	}
	res, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, a.cfg.MaxTableBytes+1))
	if err != nil {
		return fmt.Errorf("GET %s: %w", url, err)
	}
	now := time.Now()
	switch res.StatusCode {
	case http.StatusNotModified:
		if current == nil {
			return fmt.Errorf("GET %s: answered 304 without having been told a version", url)
		}
		a.confirmed.Store(now.UnixNano())
		a.confirmCache(now)
		return nil
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("GET %s: %s: %w", url, res.Status, errTokenRefused)
	default:
		return fmt.Errorf("GET %s: %s: %.200s", url, res.Status, body)
	}
	if int64(len(body)) > a.cfg.MaxTableBytes {
		return fmt.Errorf("GET %s: the answer has more than %d bytes (max_table_bytes)", url, a.cfg.MaxTableBytes)
	}
	etag := res.Header.Get("ETag")
	t, skipped, err := parseTable(body, etag)
	if err != nil {
		return fmt.Errorf("GET %s: %w", url, err)
	}
	a.adopt(t, skipped, now)
	a.saveCache(body, etag, now)
	return nil
}
