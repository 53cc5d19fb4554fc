//go:build !ui

package web

import "io/fs"

// Dist gives the built UI, and whether there is one. This binary has none: it
// was built without the tag ui.
func Dist() (fs.FS, bool) { return nil, false }
