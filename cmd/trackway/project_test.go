package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/cmd/internal/up"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// decoded runs a command line and reads the JSON it prints.
func decoded[T any](t *testing.T, args ...string) T {
	t.Helper()
	out, err := command(t, append(args, "--json")...)
	require.NoError(t, err)
	var value T
	require.NoError(t, json.Unmarshal([]byte(out), &value), out)
	return value
}

func TestProjectCommands(t *testing.T) {
	data := filepath.Join(t.TempDir(), "not", "there", "yet")
	list := decoded[[]metadata.Project](t, "project", "list", "--data", data)
	require.Len(t, list, 1)
	assert.Equal(t, metadata.DefaultProject, list[0].ID)

	out, err := command(t, "project", "create", "shop", "--data", data, "--name", "The shop", "--ttl-days", "7", "--items-per-second", "5")
	require.NoError(t, err)
	assert.Equal(t, "Project shop is created.\n", out)
	shop := decoded[metadata.Project](t, "project", "update", "shop", "--data", data, "--items-per-second", "0", "--bytes-per-day", "9")
	assert.Equal(t, "The shop", shop.Name)
	assert.Equal(t, 7, shop.TTLDays)
	assert.Equal(t, metadata.Limits{BytesPerDay: 9}, shop.Limits)
	out, err = command(t, "project", "list", "--data", data)
	require.NoError(t, err)
	assert.Contains(t, out, "9 bytes/day")

	assert.NotZero(t, decoded[metadata.Project](t, "project", "archive", "shop", "--data", data).Archived)
	assert.Zero(t, decoded[metadata.Project](t, "project", "archive", "shop", "--undo", "--data", data).Archived)
}

func TestKeyCommands(t *testing.T) {
	type made struct {
		metadata.Key
		Secret   string        `json:"secret"`
		Replaces *metadata.Key `json:"replaces"`
	}
	dsn := metadata.FileDSN(filepath.Join(t.TempDir(), "keys.db"))
	first := decoded[made](t, "key", "create", "--dsn", dsn, "--name", "web", "--expires-in", "90d")
	assert.Equal(t, metadata.DefaultProject, first.Project)
	assert.Equal(t, 90*24.0, first.Expires.Sub(first.Created).Hours())
	second := decoded[made](t, "key", "rotate", first.ID, "--dsn", dsn, "--overlap", "1h")
	assert.NotEqual(t, first.Secret, second.Secret)
	assert.Equal(t, first.ID, second.Replaces.ID)

	out, err := command(t, "key", "rotate", second.ID, "--dsn", dsn)
	require.NoError(t, err)
	assert.Contains(t, out, "Authorization: Bearer KEY")
	assert.Contains(t, out, "stays valid until")
	out, err = command(t, "key", "revoke", second.ID, "--dsn", dsn)
	require.NoError(t, err)
	assert.Contains(t, out, "is revoked")

	out, err = command(t, "key", "list", "--dsn", dsn)
	require.NoError(t, err)
	assert.Equal(t, 4, strings.Count(out, "\n"))
	for _, secret := range []string{first.Secret, second.Secret} {
		assert.NotContains(t, out, secret)
		assert.Contains(t, out, secret[:10]+"…")
	}
	states := map[string]string{}
	for _, k := range decoded[[]struct{ ID, State string }](t, "key", "list", "--dsn", dsn) {
		states[k.ID] = k.State
	}
	assert.Equal(t, "active", states[first.ID])
	assert.Equal(t, "revoked", states[second.ID])
	assert.Len(t, states, 3)
}

func TestMetadataCommandsSayWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	data, foreign, used := filepath.Join(dir, "data"), filepath.Join(dir, "foreign"), filepath.Join(dir, "used")
	require.NoError(t, os.MkdirAll(foreign, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "main.c"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(used, "run"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(used, "run", "up.lock"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(used, up.StatusFile), []byte(`{"metadata":"Postgres database meta on db:5432"}`), 0o600))
	config := filepath.Join(dir, "query.yaml")
	require.NoError(t, os.WriteFile(config, []byte("listen: 127.0.0.1:0\n"), 0o600))

	for want, line := range map[string]string{
		"project id: want 1 to 40 of a-z, 0-9 and -, got \"Shop\"": "project create Shop --data " + data,
		"want the id of the project to create, got 2 arguments":    "project create a b --data " + data,
		"--ttl-days: want 1 to 3650, got 0":                        "project create a --ttl-days 0 --data " + data,
		"ttl_days: want 1 to 3650, got 0":                          "project update default --ttl-days 0 --data " + data,
		"nothing to change: want one of --name":                    "project update default --data " + data,
		"there is a project default already":                       "project create default --data " + data,
		"there is no project \"x\"":                                "project archive x --data " + data,
		"project default cannot be archived":                       "project archive default --data " + data,
		"there is no project \"y\"":                                "key create --project y --data " + data,
		"there is no key \"k_x\"":                                  "key revoke k_x --data " + data,
		"want the id of a key, such as k_…, got the key itself":    "key rotate twk_abc --data " + data,
		"--overlap: want a duration such as 90d or 24h":            "key rotate k_x --overlap -1h --data " + data,
		"want one of them":                                         "key list --data " + data + " --dsn sqlite:x",
		"--dsn: want sqlite:FILE or postgres://":                   "key list --dsn mysql:x",
		"metadata.dsn is empty":                                    "key list --config " + config,
		"holds no Trackway data":                                   "key list --data " + foreign,
		"keeps its projects in Postgres database meta on db:5432":  "key list --data " + used,
	} {
		_, err := command(t, strings.Fields(line)...)
		assert.ErrorContains(t, err, want, line)
	}
	assert.NoFileExists(t, filepath.Join(foreign, metadata.FileName))
	assert.NoFileExists(t, filepath.Join(used, metadata.FileName))
}
