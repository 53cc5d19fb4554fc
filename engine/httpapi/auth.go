package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// authenticate accepts credentials by one of ClickHouse's three ways: basic
// auth, the X-ClickHouse-User and -Key headers, or the URL.
func (s *Server) authenticate(r *http.Request, request *request) *chdb.Exception {
	user, password := s.options.User, ""
	ways := 0
	if r.Header.Get("X-ClickHouse-User") != "" || r.Header.Get("X-ClickHouse-Key") != "" {
		user, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
		ways++
	}
	if name, key, ok := r.BasicAuth(); ok {
		user, password = name, key
		ways++
	}
	if request.hasCredentials {
		user, password = request.user, request.password
		ways++
	}
	if ways > 1 {
		return exception(codeAuthenticationFailed, "AUTHENTICATION_FAILED", "Invalid authentication: it is not allowed to use several of X-ClickHouse HTTP headers, Authorization HTTP header and authentication via parameters simultaneously")
	}
	if user == "" {
		user = "default"
	}
	// Both are compared whatever the first says, in a time that does not depend
	// on where they differ.
	if equal(user, s.options.User)&equal(password, s.options.Password) != 1 {
		return exception(codeAuthenticationFailed, "AUTHENTICATION_FAILED", "%s: Authentication failed: password is incorrect, or there is no user with such name", user)
	}
	return nil
}

func equal(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
