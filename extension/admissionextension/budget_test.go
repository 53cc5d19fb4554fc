package admissionextension

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBudget(t *testing.T) {
	b := &budget{max: 10}
	require.True(t, b.acquire(8))
	require.False(t, b.acquire(3))
	require.True(t, b.acquire(2))

	// Who waits gets it in turn; who gives up is not in the way of others.
	ctx, giveUp := context.WithCancel(t.Context())
	gaveUp, first, second := make(chan bool), make(chan bool), make(chan bool)
	queue := func(ctx context.Context, n int64, got chan bool, length int) {
		go func() { got <- b.wait(ctx, n) }()
		require.Eventually(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.waiting) == length
		}, 10*time.Second, time.Millisecond)
	}
	queue(ctx, 9, gaveUp, 1)
	queue(t.Context(), 2, first, 2)
	queue(t.Context(), 2, second, 3)
	b.release(2)
	select {
	case <-first:
		t.Fatal("overtook the one in front")
	default:
	}
	giveUp()
	require.False(t, <-gaveUp)
	require.True(t, <-first)
	b.release(2)
	require.True(t, <-second)
	assert.EqualValues(t, 10, b.inUse())
}
