package admissionextension

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/trackwayhq/trackway/internal/admission"
)

// FuzzInflate reads anything in any encoding, in the way and with the limits of a
// request, twice: decoders come out of a pool.
func FuzzInflate(f *testing.F) {
	names := []string{"identity", "gzip", "deflate", "zstd", "zstd/stream", "snappy", "snappy/framed"}
	for i, name := range names {
		f.Add(uint8(i), compressors[name]([]byte("hello hello hello")))
	}
	f.Add(uint8(3), []byte("\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00"))
	encodings := []string{"identity", "gzip", "deflate", "zstd", "zstd", "snappy", "x-snappy-framed"}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		const most = 64 << 10
		var before []byte
		for round := range 2 {
			a := &admissionExtension{cfg: &Config{}, budget: budget{max: 256 << 20}}
			q := &request{a: a}
			b := &body{q: q, max: most, arrived: func() {}}
			src, extra, err := inflate(encodings[int(which)%len(encodings)], io.NopCloser(bytes.NewReader(data)), most)
			if err != nil {
				return
			}
			b.ReadCloser, b.extra = src, extra
			if refusal := b.hold(extra); refusal != nil {
				t.Fatalf("a decoder for at most %d bytes needs %d", most, extra)
			}
			got, err := io.ReadAll(b)
			if len(got) > most {
				t.Fatalf("%d bytes, more than %d", len(got), most)
			}
			if used := a.budget.inUse(); used > extra+most {
				t.Fatalf("holds %d bytes", used)
			}
			var refusal *admission.Refusal
			if errors.As(err, &refusal) && b.failure == nil {
				t.Fatal("a refusal that the answer does not know of")
			}
			_ = b.Close()
			q.finish(err == nil)
			if used := a.budget.inUse(); used != 0 {
				t.Fatalf("%d bytes were not given back", used)
			}
			if round == 1 && !bytes.Equal(got, before) {
				t.Fatal("the second time it is something else")
			}
			before = got
		}
	})
}
