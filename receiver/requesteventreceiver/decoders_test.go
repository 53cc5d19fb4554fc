package requesteventreceiver

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func zstdOf(tb testing.TB, text string) []byte {
	tb.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(tb, err)
	return w.EncodeAll([]byte(text), nil)
}

// A decoder that is used again has nothing of the body before, broken or not.
func TestZstdReadersAreUsedAgain(t *testing.T) {
	for i := range 20 {
		text := strings.Repeat("body ", i*1000)
		body := zstdOf(t, text)
		if i%3 == 2 {
			body = body[:len(body)/2]
		}
		r, err := newZstdReader(io.NopCloser(bytes.NewReader(body)))
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		if i%3 == 2 {
			assert.Error(t, err)
		} else {
			assert.NoError(t, err)
			assert.Equal(t, text, string(got))
		}
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		_, err = r.Read(make([]byte, 1))
		assert.Error(t, err)
	}
}

// What inflating an ordinary body costs.
func BenchmarkZstdBody(b *testing.B) {
	body := zstdOf(b, strings.Repeat(line700+"\n", 100))
	b.ReportAllocs()
	for b.Loop() {
		r, err := newZstdReader(io.NopCloser(bytes.NewReader(body)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
