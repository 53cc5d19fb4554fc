package keys_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// until sends until the answer has the status, and gives how long that took.
func until(t *testing.T, want int, g *gateway, send sender, key string) (answer, time.Duration) {
	t.Helper()
	header, value := bearer(key)
	began := time.Now()
	for {
		a := send(t, g, "until", header, value)
		if a.status == want {
			return a, time.Since(began)
		}
		require.Less(t, time.Since(began), patience, "still %d instead of %d: %s", a.status, want, a.text)
		time.Sleep(20 * time.Millisecond)
	}
}

// TestKeysFromTheQueryServer follows a key through its life: made, used on all
// ways in, rotated, revoked, and its project archived.
func TestKeysFromTheQueryServer(t *testing.T) {
	s := newServer(t)
	s.start(t)
	s.createProject(t, "shop")
	s.createProject(t, "blog")
	shop, blog := s.createKey(t, "shop"), s.createKey(t, "blog")
	g := startGateway(t, s.addr)

	for name, send := range senders {
		until(t, 200, g, send, shop.Secret)
		header, value := bearer(shop.Secret)
		require.Equal(t, 200, send(t, g, name, header, value).status, name)
		require.Equal(t, 200, send(t, g, name, "Trackway-Key", blog.Secret).status, name)
		a := send(t, g, "refused", header, value+"x")
		require.Equal(t, 401, a.status, name)
		assert.Contains(t, a.text, "the ingest key is unknown or revoked")
		assert.NotContains(t, a.text, "twk_")
		g.awaitStored(t, name, "blog\t1\nshop\t1")
	}

	// A key that is made while the gateway runs works within seconds.
	later := s.createKey(t, "shop")
	_, took := until(t, 200, g, sendNDJSON, later.Secret)
	t.Logf("a new key works after %s", took.Round(time.Millisecond))

	// Both keys are valid during a rotation; without an overlap the old one is not.
	var renewed madeKey
	s.run(t, &renewed, "key", "rotate", shop.ID, "--overlap", "1h")
	for name, send := range senders {
		until(t, 200, g, send, renewed.Secret)
		header, value := bearer(shop.Secret)
		require.Equal(t, 200, send(t, g, "rotated", header, value).status, "%s: the old key during the overlap", name)
	}
	var last madeKey
	s.run(t, &last, "key", "rotate", later.ID, "--overlap", "2s")
	until(t, 200, g, sendNDJSON, last.Secret)
	a, took := until(t, 401, g, sendNDJSON, later.Secret)
	t.Logf("the old key is refused %s after a rotation with an overlap of 2 s: %s", took.Round(time.Millisecond), a.text)

	// A revoked key is refused within seconds on all ways in; others are not affected.
	var revoked struct{}
	s.run(t, &revoked, "key", "revoke", renewed.ID)
	a, took = until(t, 401, g, sendNDJSON, renewed.Secret)
	t.Logf("a revoked key is refused after %s: %s", took.Round(time.Millisecond), a.text)
	for name, send := range senders {
		header, value := bearer(renewed.Secret)
		require.Equal(t, 401, send(t, g, "refused", header, value).status, name)
		header, value = bearer(blog.Secret)
		require.Equal(t, 200, send(t, g, "others", header, value).status, name)
	}

	// An archived project takes nothing, and its senders are told that it is not the key.
	var archived struct{}
	s.run(t, &archived, "project", "archive", "blog")
	until(t, 403, g, sendNDJSON, blog.Secret)
	for name, send := range senders {
		header, value := bearer(blog.Secret)
		a := send(t, g, "refused", header, value)
		require.Equal(t, 403, a.status, name)
		assert.Contains(t, a.text, "project blog is archived and takes no data", name)
	}
	s.run(t, &archived, "project", "archive", "blog", "--undo")
	until(t, 200, g, sendNDJSON, blog.Secret)

	g.awaitStored(t, "others", "blog\t3")
	g.nothingStored(t, "refused")
	for _, key := range []madeKey{shop, blog, later, renewed, last} {
		assert.NotContains(t, g.Stderr(), key.Secret)
		assert.NotContains(t, s.Stderr(), key.Secret)
	}
}

// TestQueryServerThatIsAway restarts the gateway without its query server: the keys
// it had go on to work, and what changed meanwhile arrives when the server is back.
func TestQueryServerThatIsAway(t *testing.T) {
	s := newServer(t)
	s.start(t)
	s.createProject(t, "shop")
	key, doomed := s.createKey(t, "shop"), s.createKey(t, "shop")
	g := startGateway(t, s.addr)
	until(t, 200, g, sendNDJSON, key.Secret)

	s.Stop(t)
	g.Stop(t)
	g.start(t)
	for name, send := range senders {
		header, value := bearer(key.Secret)
		require.Equal(t, 200, send(t, g, "away", header, value).status, name)
		header, value = bearer(shopKey)
		require.Equal(t, 401, send(t, g, "refused", header, value).status, name)
	}
	var revoked struct{}
	s.run(t, &revoked, "key", "revoke", doomed.ID)
	header, value := bearer(doomed.Secret)
	require.Equal(t, 200, sendNDJSON(t, g, "away", header, value).status, "nobody told the gateway yet")
	s.start(t)
	_, took := until(t, 401, g, sendNDJSON, doomed.Secret)
	t.Logf("a key revoked meanwhile is refused %s after the query server is back", took.Round(time.Millisecond))
	g.awaitStored(t, "away", "shop\t4")
	g.nothingStored(t, "refused")

	// What is kept is nobody else's, and holds no key.
	file := filepath.Join(g.data, "keys.json")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, string(text), key.Secret)

	// A copy that is older than max_stale is of no use.
	s.Stop(t)
	g.Stop(t)
	old := time.Now().Add(-25 * time.Hour)
	require.NoError(t, os.Chtimes(file, old, old))
	g.start(t)
	for name, send := range senders {
		header, value := bearer(key.Secret)
		a := send(t, g, "refused", header, value)
		require.Equal(t, 503, a.status, "%s: %s", name, a.text)
		assert.Contains(t, a.text, "24h0m0s (max_stale)", name)
		assert.Equal(t, "5", a.retryAfter, name)
	}
	s.start(t)
	until(t, 200, g, sendNDJSON, key.Secret)
}

// TestLimitsOfProjects takes the limits that a project was given, and changes them
// while the gateway runs.
func TestLimitsOfProjects(t *testing.T) {
	s := newServer(t)
	s.start(t)
	s.createProject(t, "shop", "--items-per-day", "2")
	key := s.createKey(t, "shop")
	g := startGateway(t, s.addr)
	until(t, 200, g, sendNDJSON, key.Secret)
	a, _ := until(t, 429, g, sendNDJSON, key.Secret)
	assert.Contains(t, a.text, "project shop is over its limit of 2 (items_per_day)")
	var changed struct{}
	s.run(t, &changed, "project", "update", "shop", "--items-per-day", "0")
	until(t, 200, g, sendNDJSON, key.Secret)
}
