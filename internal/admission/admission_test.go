package admission

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		refusal *Refusal
		http    int
		code    codes.Code
		seconds int64
	}{
		"unauthenticated":      {Unauthenticated("no_key", "who"), http.StatusUnauthorized, codes.Unauthenticated, 0},
		"forbidden":            {Forbidden("archived_project", "who"), http.StatusForbidden, codes.PermissionDenied, 0},
		"unavailable":          {Unavailable("no_table", "who", 5*time.Second), http.StatusServiceUnavailable, codes.Unavailable, 5},
		"too many, rounded up": {TooMany("items_per_second", "who", 1001*time.Millisecond), http.StatusTooManyRequests, codes.ResourceExhausted, 2},
		"too many, least":      {TooMany("items_per_second", "who", time.Nanosecond), http.StatusTooManyRequests, codes.ResourceExhausted, 1},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.http, tt.refusal.HTTP)
			assert.Equal(t, tt.seconds, tt.refusal.RetrySeconds())
			require.EqualError(t, tt.refusal, "who")
			s, ok := status.FromError(fmt.Errorf("wrapped: %w", tt.refusal))
			require.True(t, ok)
			assert.Equal(t, tt.code, s.Code())
			if tt.seconds == 0 {
				assert.Empty(t, s.Details(), "senders would come again")
				return
			}
			require.Len(t, s.Details(), 1)
			assert.Equal(t, time.Duration(tt.seconds)*time.Second, s.Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
		})
	}
}

type charges int

func (c *charges) ChargeItems(n int) { *c += charges(n) }

func TestChargeItems(t *testing.T) {
	var c charges
	ctx := NewContext(context.Background(), &c)
	ChargeItems(ctx, 2)
	ChargeItems(ctx, 3)
	assert.EqualValues(t, 5, c)
	ChargeItems(context.Background(), 1) // nobody to charge
}
