// Package web embeds the built web UI, under the build tag ui; without it a
// fresh clone compiles before the UI has ever been built.
package web
