package instances_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/instances"
)

type instance struct{ remove func() }

func TestMap(t *testing.T) {
	var m instances.Map[string, *instance]
	create := func(remove func()) (*instance, error) { return &instance{remove}, nil }
	get := func(config string) *instance {
		t.Helper()
		i, err := m.Get(config, create)
		require.NoError(t, err)
		return i
	}
	a, b := get("a"), get("b")
	assert.NotSame(t, a, b)
	assert.Same(t, a, get("a"))
	a.remove()
	assert.NotSame(t, a, get("a"))
	assert.Same(t, b, get("b"))

	broken := errors.New("broken")
	_, err := m.Get("c", func(func()) (*instance, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
	assert.NotNil(t, get("c"), "a failure is not kept")
}
