package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

func TestTokenCommands(t *testing.T) {
	type made struct {
		metadata.Token
		Secret string `json:"secret"`
	}
	dsn := metadata.FileDSN(filepath.Join(t.TempDir(), "tokens.db"))
	first := decoded[made](t, "token", "create", "--dsn", dsn, "--name", "ci", "--scope", "write", "--expires-in", "90d")
	assert.Equal(t, metadata.DefaultProject, first.Project)
	assert.Equal(t, metadata.ScopeWrite, first.Scope)
	assert.NotEmpty(t, first.Secret)
	assert.Empty(t, decoded[made](t, "token", "create", "--dsn", dsn, "--all-projects").Project)

	out, err := command(t, "token", "list", "--dsn", dsn)
	require.NoError(t, err)
	assert.Contains(t, out, first.ID)
	assert.Contains(t, out, "(all)")
	assert.NotContains(t, out, first.Secret)
	out, err = command(t, "token", "revoke", first.ID, "--dsn", dsn)
	require.NoError(t, err)
	assert.Equal(t, "Token "+first.ID+" (ci) is revoked.\n", out)

	for want, args := range map[string][]string{
		"scope: ":                     {"create", "--scope", "root"},
		"--project: ":                 {"create", "--project", ""},
		"got both":                    {"create", "--project", "default", "--all-projects"},
		`there is no project "none"`:  {"create", "--project", "none"},
		"got the token itself":        {"revoke", first.Secret},
		"the id of the token to revo": {"revoke"},
	} {
		_, err := command(t, append(append([]string{"token"}, args...), "--dsn", dsn)...)
		assert.ErrorContains(t, err, want)
	}
}
