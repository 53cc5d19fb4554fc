package queryserver

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/accounts"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// AccountsConfig says who may ask.
type AccountsConfig struct {
	// Required refuses questions without an API token.
	Required bool `mapstructure:"required"`
}

// askedOtherwise are operations that only read although they are no GET: a
// statement is in a body because it is long.
var askedOtherwise = map[string]bool{"sql": true, "cancel-sql": true}

// scopeOf is what an operation needs.
func scopeOf(op *huma.Operation) metadata.Scope {
	if op.Method == http.MethodGet || askedOtherwise[op.OperationID] {
		return metadata.ScopeRead
	}
	return metadata.ScopeWrite
}

// authorized refuses operations that the request's token does not allow, before
// anything is looked up or read of the body.
func (a *api) authorized(h huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if !a.accounts.Required {
			next(ctx)
			return
		}
		view, _ := a.projects.follower.current()
		if view == nil {
			_ = huma.WriteErr(h, ctx, http.StatusServiceUnavailable, errNoMetadata.Error())
			return
		}
		project := ctx.Param("project")
		_, err := view.guard.Authorize(ctx.Header("Authorization"), project, scopeOf(ctx.Operation()), a.now())
		switch {
		case err == nil:
			next(ctx)
		case errors.Is(err, accounts.ErrOtherProject):
			_ = huma.WriteErr(h, ctx, http.StatusNotFound, noProject(project))
		case errors.Is(err, accounts.ErrScope):
			_ = huma.WriteErr(h, ctx, http.StatusForbidden, err.Error())
		default:
			ctx.SetHeader("WWW-Authenticate", "Bearer")
			_ = huma.WriteErr(h, ctx, http.StatusUnauthorized, err.Error())
		}
	}
}

// noProject is the same for projects that do not exist and those that are none of
// the asker's business.
func noProject(id string) string { return "there is no project " + id }
