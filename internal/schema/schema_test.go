package schema

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/golden"
)

func rendered(t *testing.T, o Options) string {
	t.Helper()
	stmts, err := Statements(o)
	require.NoError(t, err)
	var b strings.Builder
	for _, s := range stmts {
		b.WriteString("-- " + s.Name + "\n" + s.SQL + ";\n\n")
	}
	return b.String()
}

func TestStatementsGolden(t *testing.T) {
	for _, tt := range []struct {
		file string
		opts Options
	}{
		{"schema.sql", Options{CreateDatabase: true}},
		{"schema_no_text_index.sql", Options{Database: "other", NoTextIndex: true}},
		{"schema_cluster.sql", Options{CreateDatabase: true, Cluster: "main"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			golden.Equal(t, filepath.Join("testdata", tt.file), rendered(t, tt.opts))
		})
	}
}

func TestEveryFileIsUsedOnce(t *testing.T) {
	entries, err := files.ReadDir("sql")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".sql"))
	}
	assert.ElementsMatch(t, names, order)
}

func TestEveryTableExpires(t *testing.T) {
	stmts, err := Statements(Options{})
	require.NoError(t, err)
	for _, s := range stmts {
		if !strings.HasPrefix(s.SQL, "CREATE TABLE") || s.Name == versionTable || s.Name == lockTable {
			continue
		}
		assert.Contains(t, s.SQL, "toIntervalDay(ttl_days)", s.Name)
		assert.Contains(t, s.SQL, "non_replicated_deduplication_window = 10000", s.Name)
	}
}

func TestStatementsRefuseOddDatabase(t *testing.T) {
	_, err := Statements(Options{Database: "a; DROP"})
	require.ErrorContains(t, err, `database "a; DROP"`)
}

func TestCreateNamesTheStatementThatFailed(t *testing.T) {
	boom := errors.New("boom")
	err := Create(context.Background(), Options{}, func(_ context.Context, sql string) error {
		if strings.Contains(sql, "TABLE IF NOT EXISTS trackway.lat_m") {
			return boom
		}
		return nil
	})
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, "statement lat_m")
}

func TestBucket(t *testing.T) {
	for _, tt := range []struct {
		ns   uint64
		want uint8
	}{
		{0, 0}, {1, 0}, {62_500, 0}, {1_000_000, 32}, {2_000_000, 40}, {1 << 62, 255},
	} {
		assert.Equal(t, tt.want, Bucket(tt.ns), "%d ns", tt.ns)
	}
	lo, hi := BucketBounds(Bucket(812_400_000))
	assert.LessOrEqual(t, lo, float32(812.4))
	assert.Greater(t, hi, float32(812.4))
}
