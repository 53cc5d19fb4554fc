package groupcommit

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type waiter struct {
	waited []uint64
	err    error
}

func (w *waiter) Wait(_ context.Context, seq uint64) error {
	w.waited = append(w.waited, seq)
	return w.err
}

func TestTicket(t *testing.T) {
	assert.Nil(t, FromContext(t.Context()))
	ctx, ticket := WithTicket(t.Context())
	require.Same(t, ticket, FromContext(ctx))
	require.NoError(t, ticket.Wait(ctx), "nothing was stored")

	var a, b waiter
	FromContext(ctx).Add(&a, 7)
	FromContext(ctx).Add(&a, 5)
	FromContext(ctx).Add(&b, 1)
	require.NoError(t, ticket.Wait(ctx))
	assert.Equal(t, []uint64{7}, a.waited, "the last one covers those before it")
	assert.Equal(t, []uint64{1}, b.waited)

	a.err = errors.New("the disk is gone")
	ticket.Add(&a, 8)
	require.ErrorIs(t, ticket.Wait(ctx), a.err)
}
