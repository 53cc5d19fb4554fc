package schema

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

func createOn(t *testing.T, server *enginetest.Server, o Options) {
	t.Helper()
	require.NoError(t, Create(context.Background(), o, func(ctx context.Context, sql string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(sql))
		if err != nil {
			return err
		}
		req.SetBasicAuth(server.User, server.Password)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("HTTP %d: %s", resp.StatusCode, text)
		}
		return err
	}))
}

// TestOnTheEngine creates the schema twice, in both forms.
func TestOnTheEngine(t *testing.T) {
	server := enginetest.Start(t)
	for range 2 {
		createOn(t, server, Options{})
		createOn(t, server, Options{Database: "other", NoTextIndex: true})
	}
	assert.Equal(t, fmt.Sprintln(Version), server.Query(t, VersionQuery("")))
	assert.Equal(t, fmt.Sprintln(Version), server.Query(t, "SELECT count() FROM trackway.schema_version"))
	assert.Equal(t, fmt.Sprintf("%d\n%d\n", len(order), len(order)),
		server.Query(t, "SELECT count() FROM system.tables WHERE database IN ('trackway', 'other') GROUP BY database"))

	server.Exec(t, "INSERT INTO trackway.requests (project, ts, facet_items, ttl_days) VALUES ('p', now64(9), ['plan=free'], 30)")
	explained := server.Query(t, "EXPLAIN indexes = 1 SELECT count() FROM trackway.requests WHERE hasAny(facet_items, ['plan=z', 'plan=(other)', '(never)'])")
	assert.Contains(t, explained, "ix_facet", "a search for the three items of an attribute uses the text index")

	server.Exec(t, "INSERT INTO trackway.journey (project, key, value, trace_id, ttl_days) VALUES ('p', 'user_id', 'u_1', unhex('0102030405060708090a0b0c0d0e0f10'), 30)")
	explained = server.Query(t, "EXPLAIN indexes = 1 SELECT trace_id FROM trackway.trace_keys WHERE project = 'p' AND key = 'user_id' AND value = 'u_1'")
	assert.Regexp(t, `(?s)PrimaryKey.*project.*key.*value.*Condition`, explained, "the traces of a key are a range of the journey")

	// The buckets that durations are counted in are those that SQL makes of them.
	for _, ns := range []uint64{0, 1, 62_500, 999_999, 1_000_000, 812_400_000, 1 << 40, 1 << 62} {
		assert.Equal(t, fmt.Sprintln(Bucket(ns)), server.Query(t, fmt.Sprintf(
			"SELECT toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(%d / 1e6)), 20), %d), %d) - %d)", ns, BucketLow, BucketHigh, BucketLow)))
	}
}
