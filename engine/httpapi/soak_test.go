//go:build soak

package httpapi_test

import "testing"

func TestSoakOneGiBOfInserts(t *testing.T) {
	streamInserts(t, 1<<30)
}
