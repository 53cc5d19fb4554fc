package projects

import (
	"fmt"
	"io"
	"time"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// NewToken is an API token at the one moment when its secret is known.
type NewToken struct {
	metadata.Token
	Secret string `json:"secret"`
}

// listedToken adds what follows from a token's times.
type listedToken struct {
	metadata.Token
	State string `json:"state"`
}

// TokensJSON prints tokens with their states.
func TokensJSON(w io.Writer, tokens []metadata.Token, now time.Time) error {
	listed := make([]listedToken, len(tokens))
	for i, t := range tokens {
		listed[i] = listedToken{t, t.State(now)}
	}
	return JSON(w, listed)
}

// TokensTable prints tokens for people.
func TokensTable(w io.Writer, tokens []metadata.Token, now time.Time) error {
	t := newTable(w, "ID", "PROJECT", "SCOPE", "NAME", "TOKEN", "STATE", "CREATED", "EXPIRES")
	for _, token := range tokens {
		t.row(token.ID, orAll(token.Project), string(token.Scope), token.Name, token.Prefix+"…", token.State(now), date(token.Created), orNever(token.Expires))
	}
	return t.flush()
}

// Text tells people a new token.
func (t NewToken) Text(w io.Writer) error {
	text := fmt.Sprintf("Token %s (%s, %s) of project %s. It is shown this once and stored nowhere:\n\n  %s\n\n", t.ID, t.Name, t.Scope, orAll(t.Project), t.Secret)
	text += "Scripts pass it to the query server as `Authorization: Bearer TOKEN`."
	if !t.Expires.IsZero() {
		text += " It expires on " + date(t.Expires) + "."
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func orAll(project string) string {
	if project == "" {
		return "(all)"
	}
	return project
}
