package deadletter

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/admin"
)

func TestReplayAndDropOverTheSocket(t *testing.T) {
	s := open(t, t.TempDir(), 0)
	for _, id := range []string{"a", "b", "c"} {
		require.NoError(t, s.Write(entry(id, 10)))
	}
	var server admin.Server
	path := filepath.Join(t.TempDir(), "s")
	require.NoError(t, server.Listen(path))
	defer server.Close()
	var replayed, dropped []string
	remove, err := s.Register(&server, "/deadletter/x", Actions{
		Replay: func(_ context.Context, e Entry) error {
			if e.ID == "b" {
				return errors.New("the sending queue is full")
			}
			assert.Equal(t, entry(e.ID, 10), e)
			replayed = append(replayed, e.ID)
			return nil
		},
		Dropped: func(_ context.Context, e Entry) error {
			dropped = append(dropped, e.ID)
			return nil
		},
	})
	require.NoError(t, err)
	c := admin.NewClient(path)

	var list Listing
	require.NoError(t, c.Do(t.Context(), http.MethodGet, "/deadletter/x", nil, &list))
	require.Len(t, list.Entries, 3)
	var whole Whole
	require.NoError(t, c.Do(t.Context(), http.MethodGet, "/deadletter/x/a", nil, &whole))
	assert.Equal(t, entry("a", 10).Payload, whole.Payload)
	assert.Equal(t, "shop", whole.Project)

	var out Outcome
	require.NoError(t, c.Do(t.Context(), http.MethodPost, "/deadletter/x/replay", Selection{IDs: []string{"a", "b", "zz"}}, &out))
	assert.Equal(t, []string{"a"}, out.Done)
	assert.Equal(t, "the sending queue is full", out.Failed["b"])
	assert.Contains(t, out.Failed["zz"], "no such dead letter")
	assert.Equal(t, []string{"a"}, replayed)
	assert.Equal(t, []string{"b", "c"}, idsOf(t, s))

	require.NoError(t, c.Do(t.Context(), http.MethodPost, "/deadletter/x/drop", Selection{All: true}, &out))
	assert.Equal(t, []string{"b", "c"}, dropped)
	assert.Empty(t, idsOf(t, s))
	require.ErrorContains(t, c.Do(t.Context(), http.MethodGet, "/deadletter/x/a", nil, nil), "no such dead letter")
	remove()
	require.Error(t, c.Do(t.Context(), http.MethodGet, "/deadletter/x", nil, nil))
}

func TestWhatIsDroppedWithoutACollectorIsNotedDown(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 0)
	for _, id := range []string{"a", "b"} {
		require.NoError(t, s.Write(entry(id, 10)))
	}
	out, err := s.DropUncounted(Selection{IDs: []string{"a"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, out.Done)
	require.NoError(t, s.Close())
	s = open(t, dir, 0)
	dropped, err := s.Uncounted()
	require.NoError(t, err)
	require.Len(t, dropped, 1)
	assert.Equal(t, "a", dropped[0].ID)
	assert.Equal(t, 1, dropped[0].Items)
	require.NoError(t, s.Counted())
	dropped, err = s.Uncounted()
	require.NoError(t, err)
	assert.Empty(t, dropped)
	assert.Equal(t, []string{"b"}, idsOf(t, s))
}
