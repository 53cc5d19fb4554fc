package projectauthextension

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/config/configopaque"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
)

const (
	shopKey  = "twk_shopshopshopshopshopshop"
	blogKey  = "twk_blogblogblogblogblogblog"
	otherKey = "twk_otherotherotherotherothe"
	token    = "collector-token"
)

// querySever answers GET /internal/keys as the query server does: the table with
// a version, 304 while it has not changed, held back for as long as wait says.
type queryServer struct {
	mu      sync.Mutex
	version int
	changed chan struct{}
	body    map[string]any
	token   string
}

func newQueryServer() *queryServer {
	return &queryServer{changed: make(chan struct{}), token: token, version: 1, body: map[string]any{"keys": []any{}, "projects": []any{}}}
}

func (q *queryServer) set(keys, projects []any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.body = map[string]any{"keys": keys, "projects": projects}
	q.version++
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *queryServer) state() (etag string, body []byte, changed chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	version := "v" + string(rune('0'+q.version))
	q.body["version"] = version
	body, _ = json.Marshal(q.body)
	return `"` + version + `"`, body, q.changed
}

func (q *queryServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+q.token || r.URL.Path != "/internal/keys" {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	etag, body, changed := q.state()
	if wait, err := time.ParseDuration(r.URL.Query().Get("wait")); err == nil && r.Header.Get("If-None-Match") == etag {
		select {
		case <-changed:
			etag, body, _ = q.state()
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(body)
}

func entry(key, project string, expires ...time.Time) map[string]any {
	sum := sha256.Sum256([]byte(key))
	e := map[string]any{"hash": hex.EncodeToString(sum[:]), "project": project, "id": "k_1"}
	if len(expires) > 0 {
		e["expires"] = expires[0].Format(time.RFC3339Nano)
	}
	return e
}

func project(id string, more ...map[string]any) map[string]any {
	p := map[string]any{"id": id, "ttl_days": 30, "limits": map[string]any{"items_per_second": 0}}
	for _, m := range more {
		for k, v := range m {
			p[k] = v
		}
	}
	return p
}

func config(endpoint string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.QueryServer.Endpoint = endpoint
	cfg.Token = configopaque.String(token)
	return cfg
}

func bearer(key string) map[string][]string {
	return map[string][]string{"authorization": {"Bearer " + key}}
}

// projectOf authenticates as over gRPC and gives the project or the code.
func projectOf(a *projectAuth, key string) (string, codes.Code) {
	ctx, err := a.Authenticate(context.Background(), bearer(key))
	if err != nil {
		return "", status.Code(err)
	}
	id, _ := client.FromContext(ctx).Auth.GetAttribute(conventions.Project).(string)
	return id, codes.OK
}

// eventually waits until key has the answer.
func eventually(t *testing.T, a *projectAuth, key, wantProject string, want codes.Code) {
	t.Helper()
	require.Eventually(t, func() bool {
		p, code := projectOf(a, key)
		return p == wantProject && code == want
	}, 20*time.Second, 5*time.Millisecond, "key of %q: want %s", wantProject, want)
}

func TestKeysOfTheQueryServer(t *testing.T) {
	q := newQueryServer()
	a := start(t, config(serve(t, q)))
	q.set([]any{entry(shopKey, "shop"), entry(blogKey, "blog"), entry(otherKey, "blog", time.Now().Add(-time.Second))},
		[]any{project("shop", map[string]any{"limits": map[string]any{"bytes_per_second": 7}}), project("blog")})

	eventually(t, a, shopKey, "shop", codes.OK)
	ctx, err := a.Authenticate(t.Context(), bearer(shopKey))
	require.NoError(t, err)
	assert.Equal(t, &admission.Limits{BytesPerSecond: 7}, client.FromContext(ctx).Auth.GetAttribute(admission.LimitsAttribute))
	eventually(t, a, blogKey, "blog", codes.OK)
	eventually(t, a, otherKey, "", codes.Unauthenticated)
	_, err = a.Authenticate(t.Context(), bearer(otherKey))
	require.EqualError(t, err, "the ingest key has expired: use the one that replaced it")
	_, err = a.Authenticate(t.Context(), bearer(shopKey+"x"))
	require.EqualError(t, err, "the ingest key is unknown or revoked")

	// A revoked key is refused, the others go on; then the project is archived.
	q.set([]any{entry(blogKey, "blog")}, []any{project("shop"), project("blog")})
	eventually(t, a, shopKey, "", codes.Unauthenticated)
	eventually(t, a, blogKey, "blog", codes.OK)
	q.set([]any{entry(blogKey, "blog")}, []any{project("blog", map[string]any{"archived": true})})
	eventually(t, a, blogKey, "", codes.PermissionDenied)
	_, err = a.Authenticate(t.Context(), bearer(blogKey))
	require.EqualError(t, err, "project blog is archived and takes no data")
}

func TestRotationKeepsBothUntilTheOldExpires(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	expires := now.Add(time.Hour)
	data, err := json.Marshal(map[string]any{"version": "1", "keys": []any{entry(shopKey, "shop", expires), entry(otherKey, "shop")}, "projects": []any{project("shop")}})
	require.NoError(t, err)
	table, skipped, err := parseTable(data, "")
	require.NoError(t, err)
	require.Empty(t, skipped)
	a := &projectAuth{cfg: config("http://127.0.0.1:1")}
	a.adopt(table, nil, now)
	for at, want := range map[time.Time]*admission.Refusal{now: nil, expires.Add(-1): nil, expires: errExpiredKey, expires.Add(time.Hour): errExpiredKey} {
		_, refusal := a.owner(bearer(shopKey), at)
		assert.Equal(t, want, refusal, "the old key at %s", at)
		_, refusal = a.owner(bearer(otherKey), at)
		assert.Nil(t, refusal, "the new key at %s", at)
	}
}

// Over HTTP every error of an authenticator is a 401, so other refusals must
// travel in the project's place; over gRPC they are told at once.
func TestRefusalsByProtocol(t *testing.T) {
	a := start(t, config("http://127.0.0.1:1")) // nobody listens there
	_, err := a.Authenticate(t.Context(), bearer(shopKey))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.ErrorContains(t, err, "has not had the ingest keys from its query server yet")

	overHTTP := context.WithValue(t.Context(), http.ServerContextKey, &http.Server{ReadHeaderTimeout: time.Second})
	ctx, err := a.Authenticate(overHTTP, bearer(shopKey))
	require.NoError(t, err)
	auth := client.FromContext(ctx).Auth
	refusal, ok := auth.GetAttribute(conventions.Project).(error)
	require.True(t, ok)
	assert.Equal(t, codes.Unavailable, status.Code(refusal))
	assert.Nil(t, auth.GetAttribute(admission.LimitsAttribute))
	assert.Equal(t, []string{conventions.Project}, auth.GetAttributeNames())

	_, err = a.Authenticate(overHTTP, map[string][]string{})
	require.ErrorContains(t, err, "no ingest key", "a missing key is refused whatever the table says")
}

func TestConfiguredKeys(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Keys = []KeyConfig{
		{Key: shopKey, Project: "shop"},
		{Hash: configopaque.String(entry(blogKey, "")["hash"].(string)), Project: "blog"},
	}
	a := start(t, cfg)
	for key, want := range map[string]string{shopKey: "shop", blogKey: "blog"} {
		got, code := projectOf(a, key)
		assert.Equal(t, codes.OK, code)
		assert.Equal(t, want, got)
	}
	_, code := projectOf(a, otherKey)
	assert.Equal(t, codes.Unauthenticated, code)
}

func TestStartWithoutTheQueryServer(t *testing.T) {
	q := newQueryServer()
	cfg := config("")
	cfg.CacheFile = filepath.Join(t.TempDir(), "new", "keys.json")
	t.Run("fetch and keep", func(t *testing.T) {
		cfg.QueryServer.Endpoint = serve(t, q)
		a := start(t, cfg)
		q.set([]any{entry(shopKey, "shop")}, []any{project("shop")})
		eventually(t, a, shopKey, "shop", codes.OK)
		require.Eventually(t, func() bool {
			table, _, _, err := readCache(cfg.CacheFile, cfg.MaxTableBytes)
			return err == nil && len(table.keys) == 1
		}, 20*time.Second, 5*time.Millisecond)
		info, err := os.Stat(cfg.CacheFile)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		data, err := os.ReadFile(cfg.CacheFile)
		require.NoError(t, err)
		assert.NotContains(t, string(data), shopKey)
	})
	cfg.QueryServer.Endpoint = "http://127.0.0.1:1"
	t.Run("start from the cache", func(t *testing.T) {
		a := start(t, cfg)
		got, code := projectOf(a, shopKey)
		assert.Equal(t, codes.OK, code)
		assert.Equal(t, "shop", got)
		_, code = projectOf(a, otherKey)
		assert.Equal(t, codes.Unauthenticated, code)
	})
	t.Run("a cache older than max_stale", func(t *testing.T) {
		old := time.Now().Add(-cfg.MaxStale - time.Minute)
		require.NoError(t, os.Chtimes(cfg.CacheFile, old, old))
		a := start(t, cfg)
		_, err := a.Authenticate(t.Context(), bearer(shopKey))
		require.Equal(t, codes.Unavailable, status.Code(err))
		require.ErrorContains(t, err, "for more than 24h0m0s (max_stale)")
	})
	for name, text := range map[string]string{
		"no JSON":         "{",
		"another format":  `{"format":2,"table":{"version":"1","keys":[],"projects":[]}}`,
		"no table inside": `{"format":1,"table":{}}`,
	} {
		t.Run("a cache with "+name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(cfg.CacheFile, []byte(text), 0o600))
			a := start(t, cfg)
			_, code := projectOf(a, shopKey)
			assert.Equal(t, codes.Unavailable, code)
		})
	}
}

func TestUnusableEntriesAreLeftOut(t *testing.T) {
	table, skipped, err := parseTable([]byte(`{"version":"1","keys":[
		{"hash":"zz","project":"shop","id":"k_1"},
		{"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","project":"nowhere","id":"k_2"},
		{"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a09","project":"shop","id":"k_3","expires":"9999-01-01T00:00:00Z"}],
		"projects":[{"id":"shop"},{"id":"Not An Id"}]}`), "")
	require.NoError(t, err)
	assert.Len(t, table.keys, 1)
	for _, k := range table.keys {
		assert.EqualValues(t, never, k.expires)
	}
	assert.Equal(t, []string{
		`projects[1]: "Not An Id" is no project id`,
		`keys[0] (k_1): hash: want the SHA-256 of the key in 64 hexadecimal digits, got 2 characters`,
		`keys[1] (k_2): project "nowhere" is not among the projects`,
	}, skipped)
	for name, text := range map[string]string{"another service": `{"status":"ok"}`, "a page": `<html>`, "an array": `[]`} {
		_, _, err := parseTable([]byte(text), "")
		assert.ErrorContains(t, err, "keys of the query server: want an object with", name)
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	cfg := createDefaultConfig().(*Config)
	cfg.Keys = []KeyConfig{{Key: shopKey, Project: "shop"}}
	a := start(b, cfg)
	sources := bearer(shopKey)
	for name, f := range map[string]func() error{
		"lookup": func() error {
			if _, refusal := a.owner(sources, time.Now()); refusal != nil {
				return refusal
			}
			return nil
		},
		"context": func() error {
			_, err := a.Authenticate(b.Context(), sources)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Whoever knocks with any number of keys must not make the collector allocate.
func TestLookupDoesNotAllocate(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Keys = []KeyConfig{{Key: shopKey, Project: "shop"}}
	a := start(t, cfg)
	known, unknown := bearer(shopKey), bearer(otherKey)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = a.owner(known, time.Now())
		_, _ = a.owner(unknown, time.Now())
	}))
}
