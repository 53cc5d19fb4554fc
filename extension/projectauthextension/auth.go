package projectauthextension

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/client"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
)

// retryAfter is what senders are told while there is no table to look into.
const retryAfter = 5 * time.Second

var (
	errUnknownKey = admission.Unauthenticated("unknown_key", "the ingest key is unknown or revoked")
	errExpiredKey = admission.Unauthenticated("expired_key", "the ingest key has expired: use the one that replaced it")
	errNoTable    = admission.Unavailable("no_table", "the collector has not had the ingest keys from its query server yet", retryAfter)
)

// Authenticate finds the project of the key among HTTP headers or gRPC metadata.
//
// The collector's HTTP servers answer every error of an authenticator 401, which
// tells senders to drop their data. A refusal that is none of the sender's fault,
// or not about its key, therefore travels on in the authentication data in the
// project's place: the admission middleware answers it, and otherwise the project
// processor, which stands first in every pipeline (see checkPipelines).
func (a *projectAuth) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	o, refusal := a.owner(sources, time.Now())
	if refusal == nil {
		return withAuth(ctx, o), nil
	}
	a.telemetry.refuse(ctx, refusal.Reason)
	if refusal.HTTP != http.StatusUnauthorized && ctx.Value(http.ServerContextKey) != nil {
		return withAuth(ctx, refused{refusal}), nil
	}
	return ctx, refusal
}

// owner is the project of the key that sources hold at the time now.
func (a *projectAuth) owner(sources map[string][]string, now time.Time) (*owner, *admission.Refusal) {
	secret, refusal := keyFrom(sources)
	if refusal != nil {
		return nil, refusal
	}
	if k, ok := lookup(a.static, secret); ok {
		return k.owner, nil
	}
	t := a.table.Load()
	if t == nil {
		if !a.fetches() {
			return nil, errUnknownKey
		}
		return nil, errNoTable
	}
	if now.Sub(time.Unix(0, a.confirmed.Load())) > a.cfg.MaxStale {
		return nil, a.errStale
	}
	k, ok := lookup(t.keys, secret)
	switch {
	case !ok:
		return nil, errUnknownKey
	case now.UnixNano() >= k.expires:
		return nil, errExpiredKey
	case k.owner.refusal != nil:
		return nil, k.owner.refusal
	}
	return k.owner, nil
}

func withAuth(ctx context.Context, auth client.AuthData) context.Context {
	info := client.FromContext(ctx)
	info.Auth = auth
	return client.NewContext(ctx, info)
}

// refused is authentication data with a refusal in the project's place.
type refused struct{ *admission.Refusal }

// GetAttribute gives the refusal, whatever it is that names the project.
func (r refused) GetAttribute(name string) any {
	if name == conventions.Project {
		return r.Refusal
	}
	return nil
}

// GetAttributeNames lists the attribute.
func (refused) GetAttributeNames() []string { return []string{conventions.Project} }

func staleRefusal(maxStale time.Duration) *admission.Refusal {
	return admission.Unavailable("stale_table",
		fmt.Sprintf("the collector has not reached its query server for more than %s (max_stale), so it cannot tell which ingest keys are valid", maxStale), retryAfter)
}
