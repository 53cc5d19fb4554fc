package keys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	shopKey  = "twk_shopshopshopshopshopshopsh"
	blogKey  = "twk_blogblogblogblogblogblogbl"
	otherKey = "twk_otherotherotherotherother0"
)

// The query server is away and was never there: configured keys work, others are
// told to come again, and what is no key is told what is expected.
func TestWithoutAQueryServer(t *testing.T) {
	g := startGateway(t, nowhere(t), withKeys("shop", shopKey, "blog", blogKey)...)
	for name, send := range senders {
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct {
				name, header, value string
				status              int
				text                string
			}{
				{name: "no key", status: 401, text: "send the project's ingest key as `Authorization: Bearer KEY`"},
				{name: "another scheme", header: "Authorization", value: "Basic eDp5", status: 401, text: "Trackway-Key: KEY"},
				{name: "an unknown key", header: "Authorization", value: "Bearer " + otherKey, status: 503, text: "has not had the ingest keys from its query server yet"},
				{name: "a bearer token", header: "Authorization", value: "Bearer " + shopKey, status: 200},
				{name: "a header of its own", header: "Trackway-Key", value: blogKey, status: 200},
			} {
				t.Run(tt.name, func(t *testing.T) {
					a := send(t, g, name, tt.header, tt.value)
					require.Equal(t, tt.status, a.status, a.text)
					assert.NotContains(t, a.text, "twk_")
					if tt.status >= 400 {
						assert.Contains(t, a.text, tt.text)
					}
					if tt.status == 503 {
						assert.Equal(t, "5", a.retryAfter)
					}
				})
			}
			g.awaitStored(t, name, "blog\t1\nshop\t1") // the key decides the project, not what the sender wrote
		})
	}
	assert.NotContains(t, g.Stderr(), shopKey)
	assert.NotContains(t, g.Stderr(), otherKey)
}
