package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/cmd/internal/up"
)

// run is a running stack on a copy of the set.
type run struct {
	*Bench
	manifest  *reference.Manifest
	records   *reference.Records
	stack     *stack.Stack
	query     string // URL of the query server
	available map[string]bool
	asks      uint64 // how often questions were drawn
}

// start copies the set and starts everything on the copy.
func (b *Bench) start(ctx context.Context, m *reference.Manifest) (r *run, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(b.options.Dir), filepath.Base(b.options.Dir)+"-run-*")
	if err != nil {
		return nil, fmt.Errorf("copy of the reference set: %w", err)
	}
	if err := linkCopy(b.options.Dir, filepath.Join(dir, "data")); err != nil {
		return nil, errors.Join(fmt.Errorf("copy of the reference set: %w", err), os.RemoveAll(dir))
	}
	config, err := b.configure(filepath.Join(dir, "shipped"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	r = &run{Bench: b, manifest: m, records: reference.NewRecords(m.Spec)}
	r.stack, err = stack.Start(stack.Options{
		Trackway: b.self, Collector: b.options.Collector, Library: b.options.Library, Memory: b.options.Memory,
		ConfigDir: filepath.Join(dir, "shipped"), Dir: dir, Config: config,
	})
	if err != nil {
		return nil, err
	}
	r.query = strings.TrimSuffix(r.stack.URLs.UI, "/")
	if err := r.endpoints(ctx); err != nil {
		return nil, errors.Join(err, r.stack.Close())
	}
	return r, nil
}

// configure writes the query server's configuration with the projects of the set,
// and gives the collector's.
func (b *Bench) configure(dir string) (stack.Config, error) {
	shipped, err := up.ConfigDir(b.options.ConfigDir)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(shipped, "query.yaml"))
	if err != nil {
		return nil, fmt.Errorf("query server configuration: %w", err)
	}
	config, err := stack.ParseConfig(string(content))
	if err != nil {
		return nil, err
	}
	projects := []string{reference.Main, reference.Sparse}
	for n := range reference.Others {
		projects = append(projects, reference.OtherProject(n))
	}
	config.Set(projects, "projects")
	if content, err = yaml.Marshal(config); err != nil {
		return nil, fmt.Errorf("query server configuration: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("query server configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "query.yaml"), content, 0o600); err != nil {
		return nil, fmt.Errorf("query server configuration: %w", err)
	}
	return stack.ReadConfig(shipped)
}

// endpoints reads from the API's own description what can be asked.
func (r *run) endpoints(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.query+"/api/openapi.json", nil)
	if err != nil {
		return fmt.Errorf("description of the API: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("description of the API: %w", err)
	}
	defer response.Body.Close()
	var document struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		return fmt.Errorf("description of the API: %w", err)
	}
	r.available = map[string]bool{}
	for path := range document.Paths {
		if endpoint, found := strings.CutPrefix(path, "/api/v1/projects/{project}/"); found {
			r.available[endpoint] = true
		}
	}
	return nil
}

// chosen are the queries that were asked for and can be asked, and the names of
// those that cannot.
func (r *run) chosen() (list []*Query, missing []string) {
	for _, q := range Queries() {
		switch {
		case len(r.options.Only) > 0 && !slices.Contains(r.options.Only, q.Name):
		case !r.available[q.Endpoint]:
			missing = append(missing, q.Name)
		default:
			list = append(list, q)
		}
	}
	return list, missing
}

// draw gives new questions of a query, the same ones in every run with a seed.
func (r *run) draw(q *Query, n int, end time.Time, jitter time.Duration) []*Ask {
	r.asks++
	a := &asker{spec: r.manifest.Spec, records: r.records, r: rand.New(rand.NewPCG(r.options.Seed, r.asks)), end: end, jitter: jitter}
	out := make([]*Ask, n)
	for i := range out {
		ask := q.ask(a)
		out[i] = &ask
	}
	return out
}

// conditionCache, caches are the caches of the engine.
const conditionCache = "QUERY CONDITION CACHE"

var caches = []string{"MARK CACHE", "UNCOMPRESSED CACHE", "INDEX MARK CACHE", "INDEX UNCOMPRESSED CACHE", "PRIMARY INDEX CACHE", "TEXT INDEX CACHES", "MMAP CACHE", conditionCache}

// drop empties caches of the engine.
func drop(ctx context.Context, e clickhouse.Endpoint, names ...string) error {
	for _, name := range names {
		if err := e.Run(ctx, "SYSTEM DROP "+name); err != nil {
			return fmt.Errorf("drop the %s: %w", strings.ToLower(name), err)
		}
	}
	return nil
}

// dropPages empties the page cache of the operating system, which root alone may;
// it says whether it did.
func dropPages() bool {
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("1\n"), 0) == nil
}
