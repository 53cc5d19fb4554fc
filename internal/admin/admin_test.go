package admin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T, s *Server) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run", "collector.sock")
	require.NoError(t, s.Listen(path))
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return path
}

func say(word string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { WriteJSON(w, http.StatusOK, word) })
}

func TestHandlersComeAndGo(t *testing.T) {
	var s Server
	path := serve(t, &s)
	c := NewClient(path)
	ask := func(p string) (word string, err error) {
		err = c.Do(t.Context(), http.MethodGet, p, nil, &word)
		return word, err
	}
	_, err := ask("/a")
	require.ErrorContains(t, err, "HTTP 404")
	remove, err := s.Handle("GET /a", say("a"))
	require.NoError(t, err)
	_, err = s.Handle("GET /a", say("b"))
	require.ErrorContains(t, err, "is taken")
	_, err = s.Handle("GET /a{", say("b"))
	require.Error(t, err)
	_, err = s.Handle("GET /b", say("b"))
	require.NoError(t, err)
	word, err := ask("/a")
	require.NoError(t, err)
	assert.Equal(t, "a", word)
	remove()
	_, err = ask("/a")
	require.Error(t, err)
	word, err = ask("/b")
	require.NoError(t, err)
	assert.Equal(t, "b", word)
}

func TestSocketIsForItsOwnerOnly(t *testing.T) {
	var s Server
	path := serve(t, &s)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, s.Close())
	require.NoFileExists(t, path)
}

func TestStaleSocketsAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close()) // as after kill -9
	var s, other Server
	require.NoError(t, s.Listen(path))
	require.ErrorContains(t, other.Listen(path), "another process serves it")
	require.NoError(t, s.Close())

	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	require.ErrorContains(t, s.Listen(path), "is no socket")
}

func TestPathsLongerThanAnAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 200), "s")
	for range 2 { // the second meets a stale socket
		var s Server
		_, err := s.Handle("GET /here", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { WriteJSON(w, http.StatusOK, "here") }))
		require.NoError(t, err)
		require.NoError(t, s.Listen(path))
		var answer string
		require.NoError(t, NewClient(path).Do(t.Context(), http.MethodGet, "/here", nil, &answer))
		require.Equal(t, "here", answer)
		require.NoError(t, s.http.Close()) // as after kill -9
		<-s.done
	}
}

func TestNobodyServes(t *testing.T) {
	err := NewClient(filepath.Join(t.TempDir(), "s")).Do(t.Context(), http.MethodGet, "/", nil, nil)
	require.ErrorIs(t, err, ErrNotRunning)
}

func TestErasureAsksEveryPart(t *testing.T) {
	var s Server
	who := Erasure{Project: "shop", Key: "user_id", Value: "u_1"}
	s.HandleErasure("queue", func(_ context.Context, e Erasure) (int, error) {
		assert.Equal(t, who, e)
		return 0, errors.New("the store is away")
	})
	remove := s.HandleErasure("gone", nil)
	s.HandleErasure("dead letters", func(context.Context, Erasure) (int, error) { return 3, nil })
	remove()
	assert.Equal(t, []Erased{{Part: "queue", Error: "the store is away"}, {Part: "dead letters", Items: 3}}, s.Erase(t.Context(), who))
}
