package chdb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissingCPU(t *testing.T) {
	require.NoError(t, missingCPU(nil))
	require.ErrorContains(t, missingCPU([]string{"SSE4.2", "POPCNT"}), "this processor lacks SSE4.2, POPCNT, which the embedded engine needs")
	require.NoError(t, checkCPU(), "the machine the tests run on")
}

func TestExceptionCode(t *testing.T) {
	require.Equal(t, 60, newException("Code: 60. DB::Exception: Table x. (UNKNOWN_TABLE)").Code)
	require.Equal(t, codeUnknownException, newException("Invalid or closed connection").Code)
}
