package accounts

import (
	"errors"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

func TestAuthorize(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	token := func(secret, project string, scope metadata.Scope, expires time.Time) metadata.Token {
		return metadata.Token{ID: secret, Hash: metadata.HashKey(secret), Project: project, Scope: scope, Expires: expires}
	}
	g := NewGuard([]metadata.Token{
		token("shop", "shop", metadata.ScopeRead, time.Time{}),
		token("writer", "shop", metadata.ScopeWrite, now.Add(time.Hour)),
		token("late", "shop", metadata.ScopeAdmin, now),
		token("all", "", metadata.ScopeAdmin, time.Time{}),
	})
	for _, c := range []struct {
		header, project string
		scope           metadata.Scope
		want            error
	}{
		{"", "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer", "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer ", "shop", metadata.ScopeRead, ErrUnknown},
		{"Basic shop", "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer shop ", "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer sho", "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer late", "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer " + metadata.HashKey("shop"), "shop", metadata.ScopeRead, ErrUnknown},
		{"Bearer shop", "default", metadata.ScopeRead, ErrOtherProject},
		{"Bearer shop", "", metadata.ScopeRead, ErrOtherProject},
		{"Bearer shop", "shop", metadata.ScopeWrite, ErrScope},
		{"Bearer writer", "shop", metadata.ScopeAdmin, ErrScope},
		{"Bearer all", "shop", "root", ErrScope},
		{"bearer shop", "shop", metadata.ScopeRead, nil},
		{"Bearer writer", "shop", metadata.ScopeWrite, nil},
		{"Bearer all", "anything", metadata.ScopeWrite, nil},
		{"Bearer all", "", metadata.ScopeAdmin, nil},
	} {
		if _, err := g.Authorize(c.header, c.project, c.scope, now); !errors.Is(err, c.want) {
			t.Errorf("%q for %s in %q: %v, want %v", c.header, c.scope, c.project, err, c.want)
		}
	}
	if _, err := g.Authorize("Bearer writer", "shop", metadata.ScopeRead, now.Add(time.Hour)); !errors.Is(err, ErrUnknown) {
		t.Errorf("after its time: %v", err)
	}
}
