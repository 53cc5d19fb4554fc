package accounts

import (
	"errors"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// Why somebody is refused.
var (
	// ErrUnknown: there is no valid token. Missing, wrong, expired and revoked ones
	// are not told apart.
	ErrUnknown = errors.New("want Authorization: Bearer with a valid API token: `trackway token create` makes one")
	// ErrOtherProject: the token is of another project, which must not learn
	// whether this one exists.
	ErrOtherProject = errors.New("the token is of another project")
	// ErrScope: the token does not allow this.
	ErrScope = errors.New("the token's scope does not allow this")
)

// Guard holds the valid tokens of one version of the metadata store.
type Guard struct{ tokens map[string]metadata.Token }

// NewGuard makes one of tokens as the store gives them.
func NewGuard(tokens []metadata.Token) *Guard {
	g := &Guard{tokens: make(map[string]metadata.Token, len(tokens))}
	for _, t := range tokens {
		g.tokens[t.Hash] = t
	}
	return g
}

// Authorize gives the token of an Authorization header where it allows scope in
// project; otherwise one of this package's errors. A project of "" is what
// belongs to no single one: only a token of all projects allows that. Tokens are
// found by their SHA-256, so the time it takes says nothing about their text.
func (g *Guard) Authorize(header, project string, scope metadata.Scope, now time.Time) (metadata.Token, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	token, known := g.tokens[metadata.HashKey(secret)]
	switch {
	case !known || !strings.EqualFold(scheme, "Bearer") || token.State(now) != metadata.KeyActive:
		return metadata.Token{}, ErrUnknown
	case token.Project != "" && token.Project != project:
		return metadata.Token{}, ErrOtherProject
	case !token.Scope.Includes(scope):
		return metadata.Token{}, ErrScope
	}
	return token, nil
}
