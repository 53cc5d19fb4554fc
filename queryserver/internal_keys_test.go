package queryserver

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

const testToken = "token-of-sixteen-or-more"

// managed starts a query server on a metadata store, which it gives too, opened a
// second time as the CLI does.
func managed(t *testing.T) (base string, store *metadata.Store) {
	t.Helper()
	dsn := metadata.FileDSN(filepath.Join(t.TempDir(), metadata.FileName))
	base = startServer(t, func(cfg *Config) {
		cfg.Metadata = MetadataConfig{DSN: Secret(dsn), PollInterval: 20 * time.Millisecond}
		cfg.Secrets.InternalToken = testToken
	})
	store, err := metadata.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return base, store
}

func authorized(etag string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+testToken)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
	}
}

// snapshotOf reads an answer of 200.
func snapshotOf(t *testing.T, resp *http.Response, body string) metadata.Snapshot {
	t.Helper()
	var snapshot metadata.Snapshot
	if err := json.Unmarshal([]byte(body), &snapshot); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v: %s", resp.Status, err, body)
	}
	return snapshot
}

func TestKeysAreForCollectors(t *testing.T) {
	base, _ := managed(t)
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"no token":          {nil, http.StatusUnauthorized},
		"another token":     {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testToken+"x") }, http.StatusUnauthorized},
		"part of the token": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testToken[:8]) }, http.StatusUnauthorized},
		"empty token":       {func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, http.StatusUnauthorized},
		"another scheme":    {func(r *http.Request) { r.SetBasicAuth("", testToken) }, http.StatusUnauthorized},
		"page elsewhere": {func(r *http.Request) {
			authorized("")(r)
			r.Header.Set("Origin", "https://example.com")
		}, http.StatusForbidden},
		"own page": {func(r *http.Request) {
			authorized("")(r)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}, http.StatusForbidden},
		"another host": {func(r *http.Request) {
			authorized("")(r)
			r.Host = "example.com"
		}, http.StatusMisdirectedRequest},
		"the token":     {authorized(""), http.StatusOK},
		"no ETag of it": {authorized(`"other"`), http.StatusOK},
		"lower case":    {func(r *http.Request) { r.Header.Set("Authorization", "bearer "+testToken) }, http.StatusOK},
	} {
		resp, body := fetch(t, base+keysPath, c.change)
		if resp.StatusCode != c.want || (c.want != http.StatusOK && strings.Contains(body, `"keys"`)) {
			t.Errorf("%s: %s, want %d: %s", name, resp.Status, c.want, body)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: a page elsewhere may read it", name)
		}
	}
	for _, wait := range []string{"x", "-1s", "1s&wait=2s", ""} {
		if resp, body := fetch(t, base+keysPath+"?wait="+wait, authorized("")); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("wait=%s: %s: %s", wait, resp.Status, body)
		}
	}
}

func TestKeysAreOffWithoutAToken(t *testing.T) {
	base := startServer(t, nil)
	resp, body := fetch(t, base+keysPath, authorized(""))
	if resp.StatusCode != http.StatusNotFound || !strings.Contains(body, "secrets.internal_token") {
		t.Errorf("%s: %s", resp.Status, body)
	}
}

// TestKeysFollowChanges shows a held request answered by the change of another
// process, and what a collector learns from it.
func TestKeysFollowChanges(t *testing.T) {
	base, store := managed(t)
	ctx := t.Context()
	resp, body := fetch(t, base+keysPath+"?wait=30s", authorized(""))
	first := snapshotOf(t, resp, body)
	if len(first.Keys) != 0 || len(first.Projects) != 1 || first.Projects[0].ID != metadata.DefaultProject {
		t.Errorf("got %s", body)
	}
	if !strings.Contains(body, `"keys":[]`) {
		t.Errorf("no keys must be an empty list: %s", body)
	}
	etag := resp.Header.Get("ETag")
	resp, body = fetch(t, base+keysPath, authorized(etag))
	if resp.StatusCode != http.StatusNotModified || body != "" || resp.Header.Get("ETag") != etag {
		t.Errorf("%s: %s", resp.Status, body)
	}
	if resp, _ = fetch(t, base+keysPath+"?wait=50ms", authorized(`"x", W/`+etag)); resp.StatusCode != http.StatusNotModified {
		t.Errorf("after waiting in vain: %s", resp.Status)
	}

	// awaited is the answer to a request that is held back, while change is made.
	awaited := func(change func()) metadata.Snapshot {
		t.Helper()
		go change()
		resp, body := fetch(t, base+keysPath+"?wait=50s", authorized(etag))
		etag = resp.Header.Get("ETag")
		return snapshotOf(t, resp, body)
	}
	var key metadata.Key
	var secret string
	done := make(chan error, 1)
	got := awaited(func() {
		var err error
		key, secret, err = store.CreateKey(ctx, "test", metadata.DefaultProject, "web", 0)
		done <- err
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(got.Keys) != 1 || got.Keys[0] != (metadata.SnapshotKey{Hash: metadata.HashKey(secret), Project: metadata.DefaultProject, ID: key.ID}) {
		t.Errorf("got %+v", got.Keys)
	}
	got = awaited(func() {
		_, err := store.RevokeKey(ctx, "test", key.ID)
		done <- err
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(got.Keys) != 0 {
		t.Errorf("got %+v", got.Keys)
	}
}

func TestManagedProjects(t *testing.T) {
	base, store := managed(t)
	status := func(project string) int {
		t.Helper()
		resp, body := fetch(t, base+"/api/v1/projects/"+project+"/requests", nil)
		if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("Content-Type %s: %s", got, body)
		}
		return resp.StatusCode
	}
	if got := status("shop"); got != http.StatusNotFound {
		t.Errorf("before it is created: %d", got)
	}
	if _, err := store.CreateProject(t.Context(), "test", metadata.Project{ID: "shop"}); err != nil {
		t.Fatal(err)
	}
	// 503 because these servers have no ClickHouse: the project was found.
	deadline := time.Now().Add(20 * time.Second)
	for status("shop") != http.StatusServiceUnavailable {
		if time.Now().After(deadline) {
			t.Fatal("the new project is not noticed")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if got := status(metadata.DefaultProject); got != http.StatusServiceUnavailable {
		t.Errorf("default: %d", got)
	}
	// What is archived can still be read.
	if _, err := store.ArchiveProject(t.Context(), "test", "shop", false); err != nil {
		t.Fatal(err)
	}
	if got := status("shop"); got != http.StatusServiceUnavailable {
		t.Errorf("archived: %d", got)
	}
}

// TestMetadataStoreAway starts on a Postgres that does not answer: what is
// configured works, what is not cannot be told from what does not exist.
func TestMetadataStoreAway(t *testing.T) {
	base := startServer(t, func(cfg *Config) {
		cfg.Metadata.DSN = "postgres://trackway@127.0.0.1:9/meta?sslmode=disable"
		cfg.Secrets.InternalToken = testToken
	})
	for path, want := range map[string]string{
		"/api/v1/projects/shop/requests":    errNoMetadata.Error(),
		"/api/v1/projects/default/requests": "the store does not answer",
		keysPath:                            errNoMetadata.Error(),
	} {
		resp, body := fetch(t, base+path, authorized(""))
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, want) {
			t.Errorf("%s: %s: %s", path, resp.Status, body)
		}
	}
	if _, body := fetch(t, base+"/healthz", nil); !strings.Contains(body, `"metadata":"unreachable"`) {
		t.Errorf("health: %s", body)
	}
}
