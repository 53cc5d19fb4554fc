package schema

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/golden"
)

func TestTheLastStepGivesTheVersion(t *testing.T) {
	steps, err := Steps(Options{})
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	assert.Equal(t, Version, steps[len(steps)-1].Version, "a new step under migrations/ raises schema.Version")
	for i, s := range steps {
		assert.Equal(t, baseline.Version+1+i, s.Version)
		assert.NotEmpty(t, s.Statements, s.Name)
	}
}

// TestStepsGolden shows what each step sends, to one server and to a cluster.
func TestStepsGolden(t *testing.T) {
	for _, tt := range []struct {
		file string
		opts Options
	}{
		{"steps.sql", Options{}},
		{"steps_cluster.sql", Options{Cluster: "main"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			steps, err := Steps(tt.opts)
			require.NoError(t, err)
			var b strings.Builder
			for _, step := range steps {
				b.WriteString("-- step " + step.Name + ", " + step.Checksum + "\n")
				for _, s := range append(step.Statements, Mark(tt.opts, step)) {
					b.WriteString(s.SQL + ";\n\n")
				}
			}
			golden.Equal(t, filepath.Join("testdata", tt.file), b.String())
		})
	}
}

// TestCommentsAreNotSent keeps what explains a file out of what is sent.
func TestCommentsAreNotSent(t *testing.T) {
	stmts, err := stepStatements(Options{}, "0009_test.sql", `-- why; this
DROP VIEW IF EXISTS {{.DB}}.v_cnt_m;

CREATE facets;
-- the end
`)
	require.NoError(t, err)
	require.Len(t, stmts, 2)
	assert.Equal(t, "DROP VIEW IF EXISTS trackway.v_cnt_m", stmts[0].SQL)
	assert.True(t, strings.HasPrefix(stmts[1].SQL, "CREATE TABLE IF NOT EXISTS trackway.facets"))
}
