//go:build gates

package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/enginetest"
)

// The gates are several times what an idle machine of two cores shows, so that
// they speak of a mistake and not of a neighbour.
const (
	gateSmallQuery = 20 * time.Millisecond // p50 of SELECT 1, a connection of its own each
	gateResult     = 100 << 20             // bytes of Native result a second
	gateInsert     = 50_000                // rows a second in 20,000-row Native blocks, synced
)

func TestGateSmallQuery(t *testing.T) {
	server := enginetest.Start(t)
	times := make([]time.Duration, 500)
	for i := range times {
		started := time.Now()
		server.Query(t, "SELECT 1")
		times[i] = time.Since(started)
	}
	slices.Sort(times)
	t.Logf("SELECT 1: p50 %s, p99 %s", times[len(times)/2], times[len(times)*99/100])
	require.Less(t, times[len(times)/2], gateSmallQuery)
}

func TestGateResult(t *testing.T) {
	server := enginetest.Start(t)
	started := time.Now()
	response := do(t, server, http.MethodPost, "/", "SELECT number FROM numbers(100000000) FORMAT Native")
	size, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	rate := float64(size) / time.Since(started).Seconds()
	t.Logf("%d MiB of Native at %.0f MiB/s", size>>20, rate/(1<<20))
	require.Greater(t, rate, float64(gateResult))
}

func TestGateInsert(t *testing.T) {
	server := enginetest.Start(t)
	server.Exec(t, "CREATE TABLE gate (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
	block, rows := nativeBlock(20_000), 0
	started := time.Now()
	for time.Since(started) < 10*time.Second {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+target("query", "INSERT INTO gate FORMAT Native", "insert_deduplication_token", fmt.Sprint(rows)), bytes.NewReader(block))
		require.NoError(t, err)
		request.SetBasicAuth(server.User, server.Password)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode, read(t, response))
		require.NoError(t, response.Body.Close())
		rows += 20_000
	}
	rate := float64(rows) / time.Since(started).Seconds()
	t.Logf("%.0f rows/s, one 20,000-row insert after the other", rate)
	require.Greater(t, rate, float64(gateInsert))
}
