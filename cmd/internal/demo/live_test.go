package demo

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLiveSendsHistoryThroughRefusals(t *testing.T) {
	url, items := endpoint(t, func(n int64) bool { return n <= 2 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log bytes.Buffer
	totals, err := Live(ctx, LiveOptions{
		URL: url, Seed: 1, Rate: 50, BackfillHours: 1, BackfillRate: 0.5, Log: &log,
		Ready: cancel, // stop when the history is in
	})
	require.NoError(t, err)
	assert.Equal(t, items.Load(), int64(totals.Accepted), "nothing refused is lost and nothing is counted twice")
	assert.Equal(t, totals.Items, totals.Accepted)
	assert.Equal(t, 2, totals.Retries)
	assert.Greater(t, totals.Requests, 500)
	assert.Contains(t, log.String(), "history sent")
}

func TestLiveGivesUpWhatCannotBeUsed(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log bytes.Buffer
	totals, err := Live(ctx, LiveOptions{
		URL: server.URL, Seed: 1, Rate: 50, BackfillHours: 0.1, BackfillRate: 1, Log: &log, Ready: cancel,
	})
	require.NoError(t, err)
	assert.Positive(t, totals.Failed)
	assert.Zero(t, totals.Accepted)
	assert.Contains(t, log.String(), "404")
}
