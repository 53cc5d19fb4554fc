package projectauthextension

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"google.golang.org/grpc/codes"

	"github.com/trackwayhq/trackway/extension/projectauthextension/internal/metadata"
)

// asking is an extension that asks only when told.
func asking(t *testing.T, handler http.HandlerFunc) *projectAuth {
	t.Helper()
	a, err := newExtension(extensiontest.NewNopSettings(metadata.Type), config(serve(t, handler)))
	require.NoError(t, err)
	a.client, err = a.cfg.QueryServer.ToClient(t.Context(), nil, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	t.Cleanup(a.client.CloseIdleConnections)
	return a
}

// Whatever the query server answers, the table there is stays in force.
func TestAnswersOfNoUse(t *testing.T) {
	var answer http.HandlerFunc
	a := asking(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
	answer = newQueryServer().ServeHTTP
	require.NoError(t, a.ask(t.Context(), 0))
	before := a.table.Load()
	a.cfg.MaxTableBytes = 1000
	for want, f := range map[string]http.HandlerFunc{
		"token of project_auth must equal the one it has for collectors": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"404 Not Found: no keys here":                                    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no keys here", http.StatusNotFound) },
		"more than 1000 bytes (max_table_bytes)":                         func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat(" ", 1001))) },
		"want an object with version, keys and projects":                 func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) },
		"EOF": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"version":"2"`))
		},
	} {
		answer = f
		require.ErrorContains(t, a.ask(t.Context(), 0), want)
		assert.Same(t, before, a.table.Load(), want)
	}
	a.table.Store(nil)
	answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }
	require.ErrorContains(t, a.ask(t.Context(), 0), "answered 304 without having been told a version")
}

// A confirmation makes the table young again, and changes nothing else.
func TestConfirmation(t *testing.T) {
	q := newQueryServer()
	a := asking(t, q.ServeHTTP)
	require.NoError(t, a.ask(t.Context(), 0))
	before := a.table.Load()
	a.confirmed.Store(0)
	_, code := projectOf(a, shopKey)
	require.Equal(t, codes.Unavailable, code)
	require.NoError(t, a.ask(t.Context(), 10*time.Millisecond))
	assert.Same(t, before, a.table.Load())
	_, code = projectOf(a, shopKey)
	require.Equal(t, codes.Unauthenticated, code)
}

// A query server that does not hold requests back is not asked without pause, and
// neither is one that is broken.
func TestAskingIsPaced(t *testing.T) {
	for name, status := range map[string]int{"answers at once": http.StatusOK, "fails at once": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			second := make(chan struct{})
			a := asking(t, func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 2 {
					close(second)
				}
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"version":"1"}`))
			})
			ctx, cancel := context.WithCancel(t.Context())
			a.fetching.Go(func() { a.fetch(ctx) })
			<-second
			cancel()
			a.fetching.Wait()
			assert.EqualValues(t, 2, asked.Load())
		})
	}
}
