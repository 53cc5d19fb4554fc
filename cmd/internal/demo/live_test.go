package demo

import (
	"bytes"
	"context"
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
