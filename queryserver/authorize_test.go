package queryserver

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// guarded starts a query server that wants tokens, and gives the secrets of three
// that it knows: read and write in default, read in shop.
func guarded(t *testing.T) (base, reader, writer, other string, store *metadata.Store) {
	t.Helper()
	dsn := metadata.FileDSN(filepath.Join(t.TempDir(), metadata.FileName))
	store, err := metadata.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.CreateProject(t.Context(), "test", metadata.Project{ID: "shop"}); err != nil {
		t.Fatal(err)
	}
	create := func(project string, scope metadata.Scope) string {
		_, secret, err := store.CreateToken(t.Context(), "test", metadata.Token{Project: project, Scope: scope, Name: "t"}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	reader, writer, other = create("default", metadata.ScopeRead), create("default", metadata.ScopeWrite), create("shop", metadata.ScopeRead)
	base = startServer(t, func(cfg *Config) {
		cfg.Metadata = MetadataConfig{DSN: Secret(dsn), PollInterval: 20 * time.Millisecond}
		cfg.Accounts.Required = true
	})
	return base, reader, writer, other, store
}

// asking gives the status of an operation with a token. The body is left: that of a
// tail has no end.
func asking(t *testing.T, method, url, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// braces are the parameters of a path.
var braces = regexp.MustCompile(`\{[^}]*\}`)

func TestEveryOperationWantsAToken(t *testing.T) {
	base, reader, _, other, _ := guarded(t)
	n := 0
	for path, item := range OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			n++
			at := func(project string) string {
				return base + braces.ReplaceAllString(strings.ReplaceAll(path, "{project}", project), "x")
			}
			for name, c := range map[string]struct {
				project, token string
				want           int
			}{
				"no token":            {"default", "", http.StatusUnauthorized},
				"an invalid one":      {"default", "twt_aaaa", http.StatusUnauthorized},
				"no token, elsewhere": {"none", "", http.StatusUnauthorized},
				"of another project":  {"default", other, http.StatusNotFound},
				"of no such project":  {"none", reader, http.StatusNotFound},
			} {
				if got := asking(t, method, at(c.project), c.token); got != c.want {
					t.Errorf("%s %s, %s: %d, want %d", method, path, name, got, c.want)
				}
			}
			reads := method == "GET" || strings.Contains(path, "/sql")
			if got := asking(t, method, at("default"), reader); (got == http.StatusForbidden) == reads || got == http.StatusUnauthorized {
				t.Errorf("%s %s with a token that reads: %d", method, path, got)
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d operations were tried", n)
	}
}

func TestARevokedTokenIsRefused(t *testing.T) {
	base, reader, writer, _, store := guarded(t)
	url := base + "/api/v1/projects/default/markers?automatic=false"
	if got := asking(t, http.MethodGet, url, reader); got != http.StatusOK {
		t.Fatalf("before: %d", got)
	}
	tokens, err := store.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if token.Hash == metadata.HashKey(reader) {
			if _, err := store.RevokeToken(t.Context(), "test", token.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	for deadline := time.Now().Add(time.Minute); asking(t, http.MethodGet, url, reader) != http.StatusUnauthorized; {
		if time.Now().After(deadline) {
			t.Fatal("it is still taken")
		}
	}
	if got := asking(t, http.MethodGet, url, writer); got != http.StatusOK {
		t.Errorf("the other one: %d", got)
	}
}
