package clickhouse

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

func TestQuery(t *testing.T) {
	server := enginetest.Start(t)
	c := &Client{URL: server.URL + "/", User: server.User, Password: server.Password}
	odd := "it's a \\ back`slash\tand\nlines\x00 ü"
	answer, err := c.Query(t.Context(), "SELECT "+String(odd)+" AS "+Identifier("a`b")+", '' UNION ALL SELECT 'x', 'y' ORDER BY 2")
	require.NoError(t, err)
	assert.Equal(t, [][]string{{odd, ""}, {"x", "y"}}, Rows(answer))
	answer, err = c.Query(t.Context(), "SELECT 1 WHERE 0")
	require.NoError(t, err)
	assert.Nil(t, Rows(answer))

	_, err = c.Query(t.Context(), "SELECT nope   FROM\n\tsystem.one")
	assert.Equal(t, 47, Code(err))
	require.ErrorContains(t, err, `ClickHouse exception 47 on "SELECT nope FROM system.one": `)
	c.Password = "wrong"
	_, err = c.Query(t.Context(), "SELECT 1")
	assert.Equal(t, 516, Code(err))
	_, err = (&Client{URL: "http://127.0.0.1:1"}).Query(t.Context(), "SELECT 1")
	require.ErrorContains(t, err, "cannot reach ClickHouse at http://127.0.0.1:1")
	assert.Zero(t, Code(err))
}
