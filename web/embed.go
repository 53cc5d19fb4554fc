//go:build ui

package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist gives the built UI, and whether there is one.
func Dist() (fs.FS, bool) {
	sub, err := fs.Sub(dist, "dist")
	return sub, err == nil
}
