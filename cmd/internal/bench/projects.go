package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
	"github.com/trackwayhq/trackway/internal/pause"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// manyProjects is the other end from one.
const manyProjects = 1000

// projects sends with ingest keys, one a project, through the authentication and
// admission that the gateway's configuration has.
func (b *Bench) projects() []*arm {
	var arms []*arm
	for _, n := range []int{1, manyProjects} {
		name := fmt.Sprintf("%d projects", n)
		if n == 1 {
			name = "1 project"
		}
		arms = append(arms, &arm{
			name: name, projects: n, change: withKeys, probes: none,
			spec:  b.spec(workload.NDJSON, workload.Mix{}, 16, 50, 10_000, 15),
			notes: []string{"with project_auth and admission as the gateway's configuration has them; each body takes the next key"},
			check: func(r *run) {
				bodies := r.point.Sent.All.BatchesAccepted
				if got := r.point.Tables.Projects; got != min(int64(n), bodies) {
					r.wrong("projects in the store: want %d, got %d", min(int64(n), bodies), got)
				}
			},
		})
	}
	return arms
}

// withKeys makes the NDJSON endpoint ask for ingest keys.
func withKeys(c stack.Config) (stack.Config, error) {
	c.Extension("project_auth", stack.Config{
		"query_server": stack.Config{"endpoint": "${env:TRACKWAY_QUERY_ENDPOINT}"},
		"token":        "${env:TRACKWAY_INTERNAL_TOKEN}",
		"cache_file":   "${env:TRACKWAY_DATA}/keys.json",
	})
	c.Extension("admission", stack.Config{"authenticator": "project_auth", "usage_file": "${env:TRACKWAY_DATA}/usage.json"})
	c.Set("project_auth", "receivers", "request_event", "http", "auth", "authenticator")
	c.Set([]any{stack.Config{"id": "admission"}}, "receivers", "request_event", "http", "middlewares")
	c.Remove("processors", "project", "default_project")
	return c, nil
}

// keysLimit is how long a collector may take to hear of new keys.
const keysLimit = time.Minute

// makeKeys makes projects, each with a key, and waits until the collector knows
// the last of them.
func (r *run) makeKeys(ctx context.Context, n int) (keys []string, err error) {
	store, err := metadata.Open(ctx, metadata.FileDSN(filepath.Join(r.stack.Data, metadata.FileName)))
	if err != nil {
		return nil, fmt.Errorf("metadata store: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	const actor = "trackway bench"
	for i := range n {
		id := fmt.Sprintf("bench-%d", i)
		project := metadata.Project{ID: id, Name: id, TTLDays: metadata.DefaultTTLDays}
		if _, err := store.CreateProject(ctx, actor, project); err != nil {
			return nil, err
		}
		_, secret, err := store.CreateKey(ctx, actor, id, "bench", 0)
		if err != nil {
			return nil, err
		}
		keys = append(keys, secret)
	}
	ctx, cancel := context.WithTimeout(ctx, keysLimit)
	defer cancel()
	for {
		known, err := r.knows(ctx, keys[len(keys)-1])
		if err != nil {
			return nil, fmt.Errorf("waiting for the collector to know %d keys: %w", n, err)
		}
		if known {
			return keys, nil
		}
		if err := pause.For(ctx, drainPause); err != nil {
			return nil, fmt.Errorf("the collector does not know %d keys after %s", n, keysLimit)
		}
	}
}

// knows asks the collector whether it takes a key, with a body of no item.
func (r *run) knows(ctx context.Context, key string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.arm.url(r.stack)+"/v1/ingest", strings.NewReader("\n"))
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable:
		return false, nil
	}
	return true, nil
}
