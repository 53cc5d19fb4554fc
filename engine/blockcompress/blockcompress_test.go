package blockcompress_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/blockcompress"
)

var methods = []blockcompress.Method{blockcompress.None, blockcompress.LZ4, blockcompress.ZSTD}

func pack(t testing.TB, m blockcompress.Method, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := blockcompress.NewWriter(&out, m)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	random := make([]byte, 3<<20+17)
	rng := rand.NewChaCha8([32]byte{1})
	_, err := rng.Read(random)
	require.NoError(t, err)
	for _, m := range methods {
		for name, data := range map[string][]byte{
			"empty":          nil,
			"one byte":       {7},
			"text":           []byte("the quick brown fox"),
			"one frame":      bytes.Repeat([]byte("abcd"), 1<<18),
			"several frames": bytes.Repeat([]byte("abcdefg"), 1<<19),
			"incompressible": random,
		} {
			t.Run(m.String()+"/"+name, func(t *testing.T) {
				packed := pack(t, m, data)
				got, err := io.ReadAll(blockcompress.NewReader(bytes.NewReader(packed)))
				require.NoError(t, err)
				require.True(t, bytes.Equal(data, got))
				got, err = io.ReadAll(blockcompress.NewReader(iotest.OneByteReader(bytes.NewReader(packed))))
				require.NoError(t, err)
				require.True(t, bytes.Equal(data, got))
			})
		}
	}
}

// The method byte and the sizes are the wire format clients depend on.
func TestFrameBytes(t *testing.T) {
	for m, want := range map[blockcompress.Method]byte{blockcompress.None: 0x02, blockcompress.LZ4: 0x82, blockcompress.ZSTD: 0x90} {
		require.Equal(t, want, pack(t, m, []byte("x"))[16], m.String())
	}
	packed := pack(t, blockcompress.None, []byte("abc"))
	require.Equal(t, "020c00000003000000616263", hex.EncodeToString(packed[16:]))
}

func TestFlushMakesAFrameReadable(t *testing.T) {
	var out bytes.Buffer
	w := blockcompress.NewWriter(&out, blockcompress.LZ4)
	_, err := w.Write([]byte("row one"))
	require.NoError(t, err)
	require.Zero(t, out.Len())
	require.NoError(t, w.Flush())
	got, err := io.ReadAll(blockcompress.NewReader(bytes.NewReader(out.Bytes())))
	require.NoError(t, err)
	require.Equal(t, "row one", string(got))
	require.NoError(t, w.Close())
	_, err = w.Write([]byte("late"))
	require.Error(t, err)
}

func TestBadStreams(t *testing.T) {
	good := pack(t, blockcompress.LZ4, bytes.Repeat([]byte("abcdefgh"), 100))
	edit := func(at int, b ...byte) []byte {
		c := bytes.Clone(good)
		copy(c[at:], b)
		return c
	}
	for name, c := range map[string]struct {
		in   []byte
		says string
	}{
		"cut in the header":     {good[:10], "frame 0: ends after 10 of 25 bytes"},
		"cut in the payload":    {good[:len(good)-1], "frame 0: ends inside its payload"},
		"second frame cut":      {append(bytes.Clone(good), good[:20]...), "frame 1: ends after 20"},
		"flipped payload bit":   {edit(30, good[30]^1), "checksum does not match"},
		"flipped checksum":      {edit(0, good[0]^1), "checksum does not match"},
		"unknown method":        {edit(16, 0x55), "method 0x55"},
		"size below the header": {edit(17, 3, 0, 0, 0), "less than its own header"},
		"size over the limit":   {edit(17, 0xff, 0xff, 0xff, 0xff), "want at most"},
		"data over the limit":   {edit(21, 0xff, 0xff, 0xff, 0xff), "want at most"},
		"plain text":            {[]byte("INSERT INTO t FORMAT JSONEachRow {}"), "method 0x"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := io.ReadAll(blockcompress.NewReader(bytes.NewReader(c.in)))
			require.ErrorIs(t, err, blockcompress.ErrCorrupted)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestSourceErrorIsNotCorruption(t *testing.T) {
	broken := errors.New("connection reset")
	good := pack(t, blockcompress.ZSTD, []byte("abc"))
	for _, cut := range []int{0, 10, 26} {
		_, err := io.ReadAll(blockcompress.NewReader(io.MultiReader(bytes.NewReader(good[:cut]), iotest.ErrReader(broken))))
		require.ErrorIs(t, err, broken)
		require.NotErrorIs(t, err, blockcompress.ErrCorrupted)
	}
}

func TestWriteErrorIsKept(t *testing.T) {
	w := blockcompress.NewWriter(failing{}, blockcompress.LZ4)
	_, err := w.Write([]byte("x"))
	require.NoError(t, err)
	require.ErrorContains(t, w.Flush(), "disk full")
	require.ErrorContains(t, w.Close(), "disk full")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func FuzzReader(f *testing.F) {
	for _, m := range methods {
		f.Add(pack(f, m, []byte("hello")))
		f.Add(pack(f, m, nil))
	}
	f.Add([]byte("not compressed at all, long enough for a header"))
	f.Fuzz(func(t *testing.T, in []byte) {
		data, err := io.ReadAll(io.LimitReader(blockcompress.NewReader(bytes.NewReader(in)), 1<<24))
		if err != nil {
			return
		}
		again, err := io.ReadAll(blockcompress.NewReader(bytes.NewReader(pack(t, blockcompress.LZ4, data))))
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, again))
	})
}

func BenchmarkWriterLZ4(b *testing.B) {
	data := bytes.Repeat([]byte("GET /projects/:id/tasks 200 "), 1<<15)
	b.SetBytes(int64(len(data)))
	w := blockcompress.NewWriter(io.Discard, blockcompress.LZ4)
	for b.Loop() {
		if _, err := w.Write(data); err != nil {
			b.Fatal(err)
		}
	}
}
