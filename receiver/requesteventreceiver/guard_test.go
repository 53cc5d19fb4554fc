package requesteventreceiver

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
)

func TestBrowsersAndForeignHosts(t *testing.T) {
	for name, tt := range map[string]struct {
		configure func(*Config)
		headers   []string
		want      int
	}{
		"this machine by name":      {nil, []string{"Host", "localhost:4319"}, 200},
		"this machine by IPv6":      {nil, []string{"Host", "[::1]:4319"}, 200},
		"a name made to point here": {nil, []string{"Host", "rebound.example:4319"}, 403},
		"an allowed name":           {func(c *Config) { c.AllowedHosts = []string{"Collector.Local"} }, []string{"Host", "Collector.local"}, 200},
		"a web page":                {nil, []string{"Origin", "https://example.com"}, 403},
		"a web page, with CORS": {func(c *Config) {
			c.HTTP.CORS = configoptional.Some(confighttp.CORSConfig{AllowedOrigins: []string{"https://example.com"}})
		}, []string{"Origin", "https://example.com"}, 200},
		"a web page, with CORS for another": {func(c *Config) {
			c.HTTP.CORS = configoptional.Some(confighttp.CORSConfig{AllowedOrigins: []string{"https://example.com"}})
		}, []string{"Origin", "https://example.org"}, 403},
		"an open collector": {func(c *Config) { c.AllowUnauthenticated = true }, []string{"Host", "collector.example", "Origin", "https://example.com"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			var p pipelines
			url := serve(t, &p, componenttest.NewNopHost(), tt.configure)
			assert.Equal(t, tt.want, post(t, url, []byte(goodLine), tt.headers...).status)
		})
	}
}

func TestMediaTypes(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	for contentType, want := range map[string]string{
		"application/x-ndjson":                   "",
		"application/x-ndjson; charset=UTF-8":    "",
		`text/plain; charset="us-ascii"`:         "",
		"application/x-ndjson; charset=latin1":   `charset "latin1": want utf-8`,
		"application/json; charset=utf-16":       `charset "utf-16": want utf-8`,
		"application/xml":                        `content type "application/xml": want application/x-ndjson`,
		"application/x-ndjson; charset=; broken": `content type "application/x-ndjson; charset=; broken": want application/x-ndjson`,
	} {
		r := post(t, url, []byte(goodLine), "Content-Type", contentType)
		assert.Equal(t, want, r.Error, contentType)
		if want != "" {
			assert.Equal(t, http.StatusUnsupportedMediaType, r.status, contentType)
		}
	}
}

// keys is an authenticator that knows one key.
type keys struct {
	component.StartFunc
	component.ShutdownFunc
}

func (keys) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	if h := sources["Authorization"]; len(h) == 1 && h[0] == "Bearer good" {
		return ctx, nil
	}
	return ctx, errors.New("unknown key")
}

type hostWithKeys struct{ component.Host }

var keysID = component.MustNewID("keys")

func (hostWithKeys) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{keysID: keys{}}
}

func TestKeys(t *testing.T) {
	var p pipelines
	url := serve(t, &p, hostWithKeys{componenttest.NewNopHost()}, func(c *Config) {
		c.HTTP.Auth = configoptional.Some(confighttp.AuthConfig{Config: configauth.Config{AuthenticatorID: keysID}})
	})
	r := post(t, url, []byte(goodLine), "Host", "collector.example")
	assert.Equal(t, http.StatusUnauthorized, r.status)
	assert.Equal(t, "Bearer", r.header.Get("WWW-Authenticate"))
	assert.Equal(t, "unknown key", r.Error)
	r = post(t, url, []byte(goodLine), "Authorization", "Bearer good", "Host", "collector.example")
	assert.Equal(t, http.StatusOK, r.status)
}

func TestOtherPathsAndMethods(t *testing.T) {
	var p pipelines
	url := serve(t, &p, componenttest.NewNopHost(), nil)
	resp, err := http.Get(url)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	assert.Equal(t, "POST", resp.Header.Get("Allow"))
}
