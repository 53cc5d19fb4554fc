package storelock

import (
	"net/http"
	"testing"
)

// newHTTP gives a client that leaves no connection behind.
func newHTTP(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
