package pause_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/pause"
)

func TestFor(t *testing.T) {
	require.NoError(t, pause.For(t.Context(), 0))
	require.NoError(t, pause.For(t.Context(), time.Millisecond))
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, pause.For(ended, time.Hour), context.Canceled)
	require.ErrorIs(t, pause.For(ended, -1), context.Canceled)
}
