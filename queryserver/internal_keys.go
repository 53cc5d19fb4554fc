package queryserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
	"time"
)

// keysPath is where collectors get key hashes, and projects with their limits.
const keysPath = "/internal/keys"

// maxKeysWait bounds how long a request may be held back for a change: proxies
// give up on connections that are silent for a minute.
const maxKeysWait = 55 * time.Second

// keysHandler answers GET /internal/keys with a metadata.Snapshot, at most
// metadata.MaxSnapshotBytes of JSON. It is for collectors, which present the
// token; nothing of it is for browsers.
//
// The ETag changes with every change. With If-None-Match and ?wait=30s the answer
// is held back until something changes, then 304 when nothing did.
type keysHandler struct {
	token    [sha256.Size]byte // hashed, so that comparing takes the same time for every length
	follower *metadataFollower
}

// newKeysHandler gives the handler, which without a token is one that says so.
func newKeysHandler(token Secret, follower *metadataFollower) http.Handler {
	if token == "" || follower == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			writeProblem(w, problem(http.StatusNotFound, "ingest keys are not given to collectors here: secrets.internal_token and metadata.dsn are not both set"))
		})
	}
	return &keysHandler{token: sha256.Sum256([]byte(token)), follower: follower}
}

func (h *keysHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if fromBrowser(r) {
		writeProblem(w, problem(http.StatusForbidden, "this is for collectors, not for pages in a browser"))
		return
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], h.token[:]) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeProblem(w, problem(http.StatusUnauthorized, "want Authorization: Bearer with the value of secrets.internal_token"))
		return
	}
	wait, err := waitOf(r.URL.Query()["wait"])
	if err != nil {
		writeProblem(w, err)
		return
	}
	view := h.await(r, wait)
	if view == nil {
		w.Header().Set("Retry-After", "1")
		writeProblem(w, problem(http.StatusServiceUnavailable, errNoMetadata.Error()))
		return
	}
	w.Header().Set("ETag", view.etag)
	if matches(r, view.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(view.keys) // a collector that went away asks again
}

// await gives the view that differs from what the collector has, or after wait
// the one it has.
func (h *keysHandler) await(r *http.Request, wait time.Duration) *metadataView {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		view, changed := h.follower.current()
		if view != nil && !matches(r, view.etag) {
			return view
		}
		select {
		case <-changed:
		case <-timer.C:
			return view
		case <-r.Context().Done():
			return view
		}
	}
}

// matches says whether the collector has the version already.
func matches(r *http.Request, etag string) bool {
	for part := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(part), "W/") == etag {
			return true
		}
	}
	return false
}

// waitOf reads ?wait=; more than the most is the most.
func waitOf(values []string) (time.Duration, *Problem) {
	if len(values) == 0 {
		return 0, nil
	}
	wait, err := time.ParseDuration(values[0])
	if err != nil || wait < 0 || len(values) > 1 {
		return 0, problem(http.StatusBadRequest, "wait: want one duration such as 30s, got "+strings.Join(values, ", "))
	}
	return min(wait, maxKeysWait), nil
}

// fromBrowser recognises requests of pages: they carry headers that no page can
// leave out.
func fromBrowser(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode"}, func(name string) bool {
		return r.Header.Get(name) != ""
	})
}
