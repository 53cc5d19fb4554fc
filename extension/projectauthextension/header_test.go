package projectauthextension

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeyFromHeaders(t *testing.T) {
	const key = "twk_abcdefghijklmnop"
	for name, tt := range map[string]struct {
		sources map[string][]string
		want    string
		reason  string
	}{
		"bearer over HTTP":         {sources: map[string][]string{"Authorization": {"Bearer " + key}}, want: key},
		"bearer over gRPC":         {sources: map[string][]string{"authorization": {"Bearer " + key}}, want: key},
		"the scheme in any case":   {sources: map[string][]string{"Authorization": {"BEARER  " + key + " "}}, want: key},
		"Trackway-Key over HTTP":   {sources: map[string][]string{"Trackway-Key": {key}}, want: key},
		"Trackway-Key over gRPC":   {sources: map[string][]string{"trackway-key": {" " + key}}, want: key},
		"beside a proxy's":         {sources: map[string][]string{"Authorization": {"Basic eDp5"}, "Trackway-Key": {key}}, want: key},
		"nothing":                  {sources: map[string][]string{"Accept": {"*/*"}}, reason: "no_key"},
		"another scheme":           {sources: map[string][]string{"Authorization": {"Basic eDp5"}}, reason: "malformed_key"},
		"a scheme alone":           {sources: map[string][]string{"Authorization": {"Bearer"}}, reason: "malformed_key"},
		"an empty key":             {sources: map[string][]string{"Authorization": {"Bearer "}}, reason: "malformed_key"},
		"an empty Trackway-Key":    {sources: map[string][]string{"Trackway-Key": {""}, "Authorization": {"Bearer " + key}}, reason: "malformed_key"},
		"two keys":                 {sources: map[string][]string{"Authorization": {"Bearer " + key, "Bearer " + key}}, reason: "malformed_key"},
		"two keys in one":          {sources: map[string][]string{"Trackway-Key": {key + "," + key}}, reason: "malformed_key"},
		"a space within":           {sources: map[string][]string{"Authorization": {"Bearer a b"}}, reason: "malformed_key"},
		"longer than any key":      {sources: map[string][]string{"Trackway-Key": {strings.Repeat("a", 257)}}, reason: "malformed_key"},
		"as long as a key may be":  {sources: map[string][]string{"Trackway-Key": {strings.Repeat("a", 256)}}, want: strings.Repeat("a", 256)},
		"letters of other scripts": {sources: map[string][]string{"Trackway-Key": {"kлюч"}}, reason: "malformed_key"},
	} {
		t.Run(name, func(t *testing.T) {
			got, refusal := keyFrom(tt.sources)
			if tt.reason == "" {
				assert.Nil(t, refusal)
				assert.Equal(t, tt.want, got)
				return
			}
			if assert.NotNil(t, refusal) {
				assert.Equal(t, tt.reason, refusal.Reason)
				assert.Equal(t, http.StatusUnauthorized, refusal.HTTP)
				assert.Contains(t, refusal.Message, "Authorization: Bearer KEY")
				assert.NotContains(t, refusal.Message, key)
			}
			assert.Empty(t, got)
		})
	}
}

func FuzzKeyFrom(f *testing.F) {
	f.Add("Bearer twk_abc", "")
	f.Add("", "twk_abc")
	f.Add("bearer\ttwk", "\x00")
	f.Add("Bearer  a=b~", " x ")
	f.Fuzz(func(t *testing.T, authorization, trackwayKey string) {
		sources := map[string][]string{"Authorization": {authorization}}
		if trackwayKey != "" {
			sources["Trackway-Key"] = []string{trackwayKey}
		}
		key, refusal := keyFrom(sources)
		if (refusal == nil) == (key == "") {
			t.Fatalf("key %q and refusal %v: want exactly one", key, refusal)
		}
		if refusal != nil {
			return
		}
		if len(key) > maxKeyLen || !validKey(key) {
			t.Fatalf("%q is no key", key)
		}
		source := authorization
		if trackwayKey != "" {
			source = trackwayKey
		}
		if !strings.Contains(source, key) {
			t.Fatalf("%q is not part of %q", key, source)
		}
	})
}
