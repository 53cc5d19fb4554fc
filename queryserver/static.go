package queryserver

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// newStatic serves the web UI: files as they are, and the page itself for every
// other path, since the UI reads its state from the URL.
func newStatic(dist fs.FS, built bool) http.Handler {
	if !built {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("This binary was built without the web UI: build with `make cli`. The API is described at " + openAPIPath + ".json.\n"))
		})
	}
	files := http.FileServerFS(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			writeProblem(w, problem(http.StatusMethodNotAllowed, "the UI is only read"))
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		info, err := fs.Stat(dist, name)
		isFile := err == nil && !info.IsDir()
		switch {
		case isFile && strings.HasPrefix(name, "assets/"):
			// The build puts a hash of the content into these names.
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		case isFile && name != "index.html":
			w.Header().Set("Cache-Control", "no-cache")
		case path.Ext(name) != "" && name != "index.html" && !strings.HasPrefix(name, "p/"):
			// A file that is gone must not come back as a page; below p/ are pages
			// alone, and their paths may hold any value.
			http.NotFound(w, r)
			return
		default:
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, dist, "index.html")
			return
		}
		files.ServeHTTP(w, r)
	})
}
