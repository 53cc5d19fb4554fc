package queryserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// securityHeaders are on every answer. The UI is built of files of its own, so
// nothing inline and nothing from elsewhere ever runs.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// secured refuses requests under a foreign host name. Without accounts, loopback
// is the protection, and a page elsewhere could point its own name at 127.0.0.1
// and read the answers (DNS rebinding). Names in hosts are allowed beside those of
// this machine.
func secured(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range securityHeaders {
			w.Header().Set(name, value)
		}
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if !isLoopback(host) && !slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
			writeProblem(w, problem(http.StatusMisdirectedRequest, "this server answers to localhost and 127.0.0.1, not to the host name "+host+"; if that is a proxy's, name it under hosts in the configuration"))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			w.Header().Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// wellFormed refuses addresses that would be taken for others: query strings
// that do not decode, whose parameters the standard library leaves out (a filter
// must never be dropped in silence), parameters of the API that are there more than
// once, of which its router would take the first, and paths of the API with empty or dotted
// parts, which its router would answer with a redirect to a cleaned path.
func wellFormed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			writeProblem(w, problem(http.StatusBadRequest, "the query string cannot be decoded ("+err.Error()+"): percent-encode the parameters' values, % as %25 and ; as %3B"))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			for _, name := range slices.Sorted(maps.Keys(values)) {
				if n := len(values[name]); n > 1 {
					writeProblem(w, badParameter(name, strings.Join(values[name], ", "), fmt.Errorf("want one value, got %d", n)))
					return
				}
			}
		}
		if p := r.URL.EscapedPath(); strings.HasPrefix(p, "/api/") && path.Clean(p) != strings.TrimSuffix(p, "/") {
			writeProblem(w, problem(http.StatusNotFound, "there is nothing at "+p+": a part of the path is empty, or made of dots; percent-encode values, dots as %2E"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// compressFrom is the size in bytes from which an answer is worth compressing:
// below, it fits one packet anyway.
const compressFrom = 1400

// compressed gzips answers, except streams, whose events must not wait in a
// compressor's window.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressFrom))
	if err != nil {
		panic("compression: " + err.Error()) // only options that are wrong in themselves fail
	}
	gzipped := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isStream(r) {
			next.ServeHTTP(w, r)
			return
		}
		gzipped.ServeHTTP(w, r)
	})
}

func isStream(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/") && strings.HasSuffix(r.URL.Path, "/tail")
}

// writeProblem answers with an error outside of the API's operations.
func writeProblem(w http.ResponseWriter, p *Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}
