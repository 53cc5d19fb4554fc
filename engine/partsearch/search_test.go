package partsearch_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/blockcompress"
	"github.com/trackwayhq/trackway/engine/partsearch"
	"github.com/trackwayhq/trackway/internal/enginetest"
)

func TestPlainAndCompressedFiles(t *testing.T) {
	dir := t.TempDir()
	filler := bytes.Repeat([]byte("lorem ipsum "), 200_000)
	split := 1<<20 - 3 // the text reaches over the end of a piece
	plain := append(bytes.Clone(filler[:split]), append([]byte("user-4711"), filler...)...)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain"), plain, 0o600))
	for name, method := range map[string]blockcompress.Method{"none": blockcompress.None, "lz4": blockcompress.LZ4, "zstd": blockcompress.ZSTD} {
		var out bytes.Buffer
		w := blockcompress.NewWriter(&out, method)
		_, err := w.Write(append(bytes.Clone(filler), []byte("user-4711")...))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o600))
	}
	report, err := partsearch.Search(t.Context(), [][]byte{[]byte("user-4711")}, dir, filepath.Join(dir, "not-there"))
	require.NoError(t, err)
	found := map[string]bool{}
	for _, h := range report.Hits {
		found[filepath.Base(h.Path)] = true
		assert.Contains(t, string(h.Around), "user-4711")
	}
	assert.Equal(t, map[string]bool{"plain": true, "none": true, "lz4": true, "zstd": true}, found)
	assert.Equal(t, 4, report.Files)
	report, err = partsearch.Search(t.Context(), [][]byte{[]byte("user-4712")}, dir)
	require.NoError(t, err)
	assert.Empty(t, report.Hits)
	assert.Greater(t, report.Bytes, int64(4*len(filler)), "compressed files are searched decompressed")
}

// TestPartsOfAStore finds a value in each kind of column of real parts.
func TestPartsOfAStore(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, `CREATE TABLE t (n UInt64 CODEC(Delta, ZSTD(1)), a String CODEC(ZSTD(3)), b LowCardinality(String), c Map(LowCardinality(String), String),
		d Array(LowCardinality(String)), INDEX i d TYPE text(tokenizer = 'array') GRANULARITY 100000000) ENGINE = MergeTree ORDER BY n`)
	for _, column := range []string{"'text-1 x', '', map(), []", "'', 'text-2', map(), []", "'', '', map('k', 'text-3'), []", "'', '', map(), ['text-4']"} {
		server.Exec(t, "INSERT INTO t SELECT number, "+column+" FROM numbers(1000)")
	}
	for _, text := range []string{"text-1", "text-2", "text-3", "text-4"} {
		report, err := partsearch.Search(t.Context(), [][]byte{[]byte(text)}, filepath.Join(server.Dir, "store"))
		require.NoError(t, err)
		assert.NotEmpty(t, report.Hits, text)
		assert.Positive(t, report.Numeric)
	}
	report, err := partsearch.Search(t.Context(), [][]byte{[]byte("text-5")}, server.Dir)
	require.NoError(t, err)
	assert.Empty(t, report.Hits)
}
