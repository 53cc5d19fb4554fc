package requesteventreceiver

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/trackwayhq/trackway/internal/loopback"
)

// mediaTypes are what senders of NDJSON call it, and what curl says when nobody
// told it.
var mediaTypes = []string{
	"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json",
	"application/octet-stream", "application/x-www-form-urlencoded", "text/plain",
}

// charsets are UTF-8 and its subset.
var charsets = []string{"utf-8", "utf8", "us-ascii"}

func checkMediaType(r *http.Request) error {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(header)
	if err == nil && slices.Contains(mediaTypes, mediaType) {
		charset := params["charset"]
		if charset == "" || slices.Contains(charsets, strings.ToLower(charset)) {
			return nil
		}
		return fmt.Errorf("charset %q: want utf-8", charset)
	}
	return fmt.Errorf("content type %q: want application/x-ndjson", header)
}

// checkOrigin keeps browsers out where nobody has to authenticate: any page could
// otherwise write to a collector on its reader's machine, and a name that resolves
// to 127.0.0.1 would make it look like the page's own server.
func (r *requestEventReceiver) checkOrigin(w http.ResponseWriter, req *http.Request) error {
	if r.cfg.authenticates() || r.cfg.AllowUnauthenticated {
		return nil
	}
	// The server's CORS layer has answered an origin it allows; it lets the others
	// pass too, leaving it to the browser to hide the answer.
	if origin := req.Header.Get("Origin"); origin != "" && w.Header().Get("Access-Control-Allow-Origin") == "" {
		return fmt.Errorf("requests of web pages (Origin: %s) need http::cors or http::auth in the receiver's configuration", origin)
	}
	if r.cfg.HTTP.NetAddr.Transport == "unix" {
		return nil
	}
	if loopback.Host(req.Host, r.cfg.AllowedHosts) {
		return nil
	}
	return fmt.Errorf("host %q is not this machine: add it to allowed_hosts in the receiver's configuration, or configure http::auth", req.Host)
}
