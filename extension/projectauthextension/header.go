package projectauthextension

import (
	"strings"

	"github.com/trackwayhq/trackway/internal/admission"
)

// Header names as HTTP servers write them, and as gRPC metadata has them.
const (
	authorizationHTTP = "Authorization"
	authorizationGRPC = "authorization"
	keyHTTP           = "Trackway-Key"
	keyGRPC           = "trackway-key"
)

// maxKeyLen bounds the work an unknown sender can cause.
const maxKeyLen = 256

// expected ends the messages to senders without a usable key.
const expected = "send the project's ingest key as `Authorization: Bearer KEY` or `Trackway-Key: KEY`"

var (
	errNoKey        = admission.Unauthenticated("no_key", "no ingest key: "+expected)
	errMalformedKey = admission.Unauthenticated("malformed_key", "the header holds no ingest key: "+expected)
	errSeveralKeys  = admission.Unauthenticated("malformed_key", "the header with the ingest key is there more than once: "+expected)
)

// keyFrom finds the key among HTTP headers or gRPC metadata. Trackway-Key comes
// first, since Authorization may be meant for a proxy in between.
func keyFrom(sources map[string][]string) (string, *admission.Refusal) {
	if value, ok, refusal := single(sources, keyHTTP, keyGRPC); refusal != nil {
		return "", refusal
	} else if ok {
		return checkKey(strings.Trim(value, " \t"))
	}
	value, ok, refusal := single(sources, authorizationHTTP, authorizationGRPC)
	if refusal != nil {
		return "", refusal
	}
	if !ok {
		return "", errNoKey
	}
	scheme, key, found := strings.Cut(strings.Trim(value, " \t"), " ")
	if !found || !strings.EqualFold(scheme, "bearer") {
		return "", errMalformedKey
	}
	return checkKey(strings.TrimLeft(key, " "))
}

// single gives the only value of a header under either of its names.
func single(sources map[string][]string, http, grpc string) (value string, ok bool, refusal *admission.Refusal) {
	values := sources[http]
	if len(values) == 0 {
		values = sources[grpc]
	}
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", false, errSeveralKeys
}

func checkKey(key string) (string, *admission.Refusal) {
	if key == "" || len(key) > maxKeyLen || !validKey(key) {
		return "", errMalformedKey
	}
	return key, nil
}

// validKey says whether key is made of the characters of a bearer token (RFC
// 6750, section 2.1).
func validKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '.', c == '_', c == '~', c == '+', c == '/', c == '=':
		default:
			return false
		}
	}
	return true
}
