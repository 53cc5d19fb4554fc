package admissionextension

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
)

// BenchmarkHTTP is what a request of 50 KB costs with the middleware, and what
// reading the same body costs without it.
func BenchmarkHTTP(b *testing.B) {
	cfg := createDefaultConfig().(*Config)
	a := start(b, cfg, nil)
	wrap, err := a.GetHTTPHandler(b.Context())
	require.NoError(b, err)
	read := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	admitted, err := wrap(b.Context(), read)
	require.NoError(b, err)
	var text strings.Builder
	for i := range 50 << 10 {
		text.WriteByte("abcdefghijklmnop"[(i*i>>3)&15])
	}
	auth := authData{conventions.Project: "shop", admission.LimitsAttribute: &admission.Limits{BytesPerSecond: 1 << 50, ItemsPerDay: 1 << 50}}
	limited := client.NewContext(context.Background(), client.Info{Auth: auth})
	for _, tt := range []struct {
		name     string
		handler  http.Handler
		encoding string
		ctx      context.Context
	}{
		{"without", read, "identity", context.Background()},
		{"identity", admitted, "identity", context.Background()},
		{"identity/limited", admitted, "identity", limited},
		{"gzip", admitted, "gzip", context.Background()},
		{"zstd", admitted, "zstd", context.Background()},
	} {
		b.Run(tt.name, func(b *testing.B) {
			data := compressors[tt.encoding]([]byte(text.String()))
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(tt.ctx, http.MethodPost, "/", bytes.NewReader(data))
				r.Header.Set("Content-Encoding", tt.encoding)
				w := &discard{header: http.Header{}}
				tt.handler.ServeHTTP(w, r)
				if w.status != 0 {
					b.Fatal(w.status)
				}
			}
		})
	}
}

// discard is a response that nobody reads.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }
