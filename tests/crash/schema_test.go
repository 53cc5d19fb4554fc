package crash_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The engine dies while tables and views are being created: their definitions
// come into place by renames too. Creating them again is enough.
func TestKillWhileTheSchemaIsCreated(t *testing.T) {
	for n := 1; n <= rounds(t); n++ {
		data := dataDir(t)
		trapped := startEngine(t, data, "127.0.0.1:0", trap(t, definitionRename, n)...)
		if trapped.tryCreateSchema(t.Context()) == nil {
			trapped.kill(t)
			require.Greater(t, n, 1, "strace met no rename")
			return
		}
		<-trapped.Exited()

		e := startEngine(t, data, "127.0.0.1:0")
		e.createSchema(t)
		require.NoError(t, e.insertUnit(t.Context(), 1, today()))
		e.verifyUnits(t, 1)
		e.Stop(t)
	}
}
