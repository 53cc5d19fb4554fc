package native_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	chproto "github.com/ClickHouse/clickhouse-go/v2/lib/proto"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackwayhq/trackway/engine/native"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clickhouseGo is the revision clickhouse-go v2.51 asks for over HTTP.
const clickhouseGo = chproto.DBMS_TCP_PROTOCOL_VERSION

// captured is what engine 26.7 answered to the query of that name in
// testdata/queries.txt, in format Native.
func captured(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	require.NoError(t, err)
	raw, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	require.NoError(t, err)
	return raw
}

func names(t testing.TB) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "queries.txt"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		name, _, _ := strings.Cut(s.Text(), "\t")
		out = append(out, name)
	}
	return out
}

// reencode writes in to a reencoder in pieces of at most chunk bytes.
func reencode(in []byte, revision uint64, chunk int) ([]byte, error) {
	var out bytes.Buffer
	w := native.NewReencoder(&out, revision)
	for len(in) > 0 {
		n := min(chunk, len(in))
		if _, err := w.Write(in[:n]); err != nil {
			err = errors.Join(err, w.Close())
			return out.Bytes(), err
		}
		in = in[n:]
	}
	err := w.Close()
	return out.Bytes(), err
}

// values reads blocks as clickhouse-go does and gives names, types and values.
func values(t testing.TB, in []byte, revision uint64) []any {
	t.Helper()
	var out []any
	r := proto.NewReader(bytes.NewReader(in))
	for {
		b := chproto.NewBlock()
		b.ServerContext.Timezone = time.UTC
		err := b.Decode(r, revision)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		for _, c := range b.Columns {
			out = append(out, c.Name(), c.Type())
			for row := range b.Rows() {
				out = append(out, c.Row(row, false))
			}
		}
	}
}

func TestEveryTypeReadsTheSameAtTheClientsRevision(t *testing.T) {
	for _, name := range names(t) {
		if name == "aggregate_state" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in := captured(t, name)
			want := values(t, in, 0)
			for _, revision := range []uint64{54000, 54453, 54454, clickhouseGo, 54490} {
				for _, chunk := range []int{1, 7, 1 << 20} {
					got, err := reencode(in, revision, chunk)
					require.NoError(t, err)
					require.Equal(t, want, values(t, got, revision), "revision %d, chunks of %d", revision, chunk)
				}
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	// One column n of type UInt8, one row: 1.
	in := []byte("\x01\x01\x01n\x05UInt8\x01")
	const info = "\x01\x00\x02\xff\xff\xff\xff\x00"
	for revision, want := range map[uint64]string{
		0:            "\x01\x01\x01n\x05UInt8\x01",
		54453:        info + "\x01\x01\x01n\x05UInt8\x01",
		clickhouseGo: info + "\x01\x01\x01n\x05UInt8\x00\x01",
	} {
		got, err := reencode(in, revision, 3)
		require.NoError(t, err)
		require.Equal(t, want, string(got), "revision %d", revision)
	}
}

func TestABlockIsWrittenByTheWriteThatEndsIt(t *testing.T) {
	in := captured(t, "integers")
	var out bytes.Buffer // without a lock: only Write and Close may touch it
	w := native.NewReencoder(&out, clickhouseGo)
	_, err := w.Write(in[:len(in)-1])
	require.NoError(t, err)
	require.Zero(t, out.Len())
	_, err = w.Write(in[len(in)-1:])
	require.NoError(t, err)
	require.NotZero(t, out.Len())
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	_, err = w.Write(in)
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestWhatCannotBeReencoded(t *testing.T) {
	whole := captured(t, "strings")
	for name, c := range map[string]struct {
		in   []byte
		says string
	}{
		"state of an aggregate function": {captured(t, "aggregate_state"), `block 0: column "s" of type AggregateFunction(sum, UInt64): no decoder`},
		"cut in a column":                {whole[:len(whole)-1], "block 0: "},
		"cut in a name":                  {whole[:3], "block 0: "},
		"not Native":                     {[]byte("Code: 60. DB::Exception: Table does not exist"), "block 0: "},
		"absurd number of rows":          {[]byte("\x01\xff\xff\xff\xff\xff\x0f\x01n\x05UInt8"), "not Native of revision 0"},
		"second block cut":               {append(bytes.Clone(whole), 1, 1, 1), "block 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := reencode(c.in, clickhouseGo, 5)
			require.ErrorContains(t, err, c.says)
			want, err := reencode(whole, clickhouseGo, 1<<20)
			require.NoError(t, err)
			if len(out) > 0 {
				require.Equal(t, want, out, "only whole blocks are written")
			}
		})
	}
}

func TestErrorOfTheDestinationReachesTheWriter(t *testing.T) {
	gone := errors.New("client went away")
	w := native.NewReencoder(writerFunc(func([]byte) (int, error) { return 0, gone }), clickhouseGo)
	in := captured(t, "integers")
	for range 2 {
		_, err := w.Write(in)
		require.ErrorIs(t, err, gone)
	}
	require.ErrorIs(t, w.Close(), gone)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The engine's output is trusted (clickhouse-go's decoders make memory for any
// length they read), so what is fuzzed is how it is cut, not what it says.
func FuzzCuts(f *testing.F) {
	all := names(f)
	f.Add(uint8(0), uint16(100), uint16(3))
	f.Fuzz(func(t *testing.T, which uint8, length, chunk uint16) {
		in := captured(t, all[int(which)%len(all)])
		whole, wholeErr := reencode(in, clickhouseGo, len(in)+1)
		cut := in[:min(int(length), len(in))]
		got, err := reencode(cut, clickhouseGo, int(chunk)+1)
		require.True(t, bytes.HasPrefix(whole, got))
		if len(cut) == len(in) {
			require.Equal(t, wholeErr == nil, err == nil)
			require.Equal(t, whole, got)
		} else if err == nil {
			// Only a cut between blocks is none: the rest then follows on its own.
			rest, err := reencode(in[len(cut):], clickhouseGo, len(in))
			require.Equal(t, wholeErr == nil, err == nil)
			require.Equal(t, whole, append(got, rest...))
		}
	})
}

// A row of the benchmark is two numbers, a string and a low cardinality string.
func BenchmarkReencoder(b *testing.B) {
	const rows = 65_000
	var block proto.Buffer
	block.PutUVarInt(3)
	block.PutUVarInt(rows)
	block.PutString("n")
	block.PutString("UInt64")
	block.PutRaw(make([]byte, 8*rows))
	block.PutString("d")
	block.PutString("DateTime64(9, 'UTC')")
	block.PutRaw(make([]byte, 8*rows))
	block.PutString("s")
	block.PutString("String")
	for i := range rows {
		block.PutString(fmt.Sprintf("/projects/%d/tasks", i))
	}
	b.SetBytes(int64(len(block.Buf)))
	b.ReportAllocs()
	w := native.NewReencoder(io.Discard, clickhouseGo)
	for b.Loop() {
		if _, err := w.Write(block.Buf); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
