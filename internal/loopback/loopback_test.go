package loopback

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEndpoint(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"127.0.0.1:4319": true, "127.8.8.8:1": true, "localhost:0": true, "[::1]:4319": true,
		"0.0.0.0:4319": false, ":4319": false, "[::]:4319": false, "192.0.2.1:4319": false, "example.com:4319": false, "localhost": false,
	} {
		assert.Equal(t, want, Endpoint(endpoint), "endpoint %q", endpoint)
	}
}

func TestHost(t *testing.T) {
	allowed := []string{"Collector.Local"}
	for header, want := range map[string]bool{
		"127.0.0.1:4319": true, "127.0.0.1": true, "LocalHost:4319": true, "[::1]:4319": true, "[::1]": true,
		"host.docker.internal:4318": true, "collector.local:4318": true, "collector.local": true,
		"": false, "example.com": false, "localhost.example.com:4319": false, "127.0.0.1.example.com": false, "192.0.2.1:4319": false,
	} {
		assert.Equal(t, want, Host(header, allowed), "Host: %s", header)
	}
}
