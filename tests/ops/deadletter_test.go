package ops_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/deadletter"
	"github.com/trackwayhq/trackway/tests/harness"
)

func letters(t *testing.T, data string) deadletter.Listing {
	t.Helper()
	out, stderr, err := trackway(t, "deadletter", "list", "--json", "--data", data)
	require.NoError(t, err, stderr)
	var list deadletter.Listing
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	return list
}

func TestDeadLettersAreReplayedAndDropped(t *testing.T) {
	s := harness.StartStack(t)
	send(t, s, "", requestLine("/warm", 0))
	eventually(t, s, "1", "SELECT count() FROM trackway.requests")
	s.ClickHouse.Query(t, "ALTER TABLE trackway.requests ADD CONSTRAINT no_poison CHECK route NOT LIKE '/poison%'")
	send(t, s, "", requestLine("/good", 1), requestLine("/poison/1", 1), eventLine(1))
	send(t, s, "", requestLine("/poison/2", 2))
	require.True(t, assertEventually(func() bool { return len(letters(t, s.Data).Entries) == 2 }))
	eventually(t, s, "1\t0", "SELECT countIf(route = '/good'), countIf(route LIKE '/poison%') FROM trackway.requests")
	eventually(t, s, "1", "SELECT count() FROM trackway.events")
	list := letters(t, s.Data)
	for _, e := range list.Entries {
		assert.Equal(t, 469, e.Code)
		assert.Equal(t, "default", e.Project)
		assert.Equal(t, "requests", e.Table)
		assert.Contains(t, e.Reason, "no_poison")
	}
	flush(t, s)
	eventually(t, s, "5\t0\t5\t3\t0\t2\t0\t0", ledgerSums)

	// The table stays as it was: what is replayed comes back.
	id := list.Entries[0].ID
	shown, stderr, err := trackway(t, "deadletter", "show", id, "--data", s.Data)
	require.NoError(t, err, stderr)
	assert.Contains(t, shown, `"path": "/poison/1"`)
	out, stderr, err := trackway(t, "deadletter", "replay", id, "--data", s.Data)
	require.NoError(t, err, stderr)
	assert.Equal(t, "replayed "+id, strings.TrimSpace(out))
	require.True(t, assertEventually(func() bool { return len(letters(t, s.Data).Entries) == 2 }))

	s.ClickHouse.Query(t, "ALTER TABLE trackway.requests DROP CONSTRAINT no_poison")
	for _, e := range letters(t, s.Data).Entries {
		out, _, err := trackway(t, "deadletter", "show", e.ID, "--data", s.Data)
		require.NoError(t, err)
		verb := "drop"
		if strings.Contains(out, `"path": "/poison/1"`) {
			verb = "replay"
		}
		_, stderr, err = trackway(t, "deadletter", verb, e.ID, "--data", s.Data)
		require.NoError(t, err, stderr)
	}
	assert.Empty(t, letters(t, s.Data).Entries)
	eventually(t, s, "1", "SELECT countIf(route LIKE '/poison%') FROM trackway.requests")
	require.True(t, assertEventually(func() bool {
		flush(t, s)
		return s.ClickHouse.Query(t, ledgerSums) == "5\t0\t5\t4\t0\t0\t1\t0"
	}), s.ClickHouse.Query(t, ledgerSums))
	assert.Equal(t, "{'operator':1}", s.ClickHouse.Query(t, "SELECT sumMap(dropped) FROM trackway.delivery_ledger FINAL"))

	_, stderr, err = trackway(t, "deadletter", "show", "nobody", "--data", s.Data)
	require.Error(t, err)
	assert.Contains(t, stderr, "no such dead letter")
}

func TestDeadLettersWithoutACollector(t *testing.T) {
	s := harness.StartStack(t)
	send(t, s, "", requestLine("/warm", 0))
	eventually(t, s, "1", "SELECT count() FROM trackway.requests")
	s.ClickHouse.Query(t, "ALTER TABLE trackway.requests ADD CONSTRAINT no_poison CHECK route != '/poison'")
	send(t, s, "", requestLine("/poison", 1))
	require.True(t, assertEventually(func() bool { return len(letters(t, s.Data).Entries) == 1 }))
	s.Stop(t)

	list := letters(t, s.Data)
	require.Len(t, list.Entries, 1)
	_, stderr, err := trackway(t, "deadletter", "replay", "--all", "--data", s.Data)
	require.Error(t, err)
	assert.Contains(t, stderr, "needs a running collector")
	_, stderr, err = trackway(t, "deadletter", "drop", "--all", "--data", s.Data)
	require.NoError(t, err, stderr)
	assert.Empty(t, letters(t, s.Data).Entries)
	_, stderr, err = trackway(t, "deadletter", "list", "--data", t.TempDir())
	require.Error(t, err)
	assert.Contains(t, stderr, "name another with --data")
}
